// The surface: a lattice vertex without a vertex buffer, placed by its node's sixteen bytes.
#include "place.hlsl"

struct Vertex
{
    precise float4 position : SV_Position;
    float2 place : PLACE;
    float3 relative : RELATIVE;
    float3 normal : NORMAL;
    float2 level : LEVEL; // λ, height in codes
};

Vertex main(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    float2 slope;
    Placed placed = place_vertex_with_slope(vertex, instance, slope);
    Vertex output;
    output.position = project(placed.relative);
    output.place = placed.place;
    output.relative = placed.relative;
    output.normal = slope_normal(slope);
    output.level = float2(placed.lambda, placed.height);
    return output;
}
