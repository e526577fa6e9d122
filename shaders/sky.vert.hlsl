// The preview's sky: one triangle over the whole target at the far plane, which only what nothing covered lets
// through.
struct Vertex
{
    precise float4 position : SV_Position;
    float2 clip : CLIP;
};

Vertex main(uint vertex : SV_VertexID)
{
    Vertex output;
    output.clip = float2(vertex == 1 ? 3.0 : -1.0, vertex == 2 ? 3.0 : -1.0);
    output.position = float4(output.clip, 0.0, 1.0);
    return output;
}
