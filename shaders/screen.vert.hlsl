// One triangle over the whole target, for a pass that reads its pixels' own texels.
float4 main(uint vertex : SV_VertexID) : SV_Position
{
    precise float4 position = float4(vertex == 1 ? 3.0 : -1.0, vertex == 2 ? 3.0 : -1.0, 0.0, 1.0);
    return position;
}
