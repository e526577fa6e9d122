// A triangle over the whole target.
struct Vertex
{
    float4 position : SV_Position;
    float2 across : ACROSS; // -1 to 1, to the right and upward
};

Vertex main(uint vertex : SV_VertexID)
{
    float2 corner = float2(vertex == 1 ? 3.0 : -1.0, vertex == 2 ? 3.0 : -1.0);
    Vertex output;
    output.position = float4(corner, 0.0, 1.0);
    output.across = float2(corner.x, -corner.y);
    return output;
}
