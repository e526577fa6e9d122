// The surface: a lattice vertex without a vertex buffer, placed by its node's sixteen bytes.
#include "place.hlsl"

struct Vertex
{
    precise float4 position : SV_Position;
    float2 place : PLACE;
    float3 relative : RELATIVE;
    float2 level : LEVEL; // λ, height in codes
};

Vertex main(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    Placed placed = place_vertex(vertex, instance);
    Vertex output;
    output.position = project(placed.relative);
    output.place = placed.place;
    output.relative = placed.relative;
    output.level = float2(placed.lambda, placed.height);
    return output;
}
