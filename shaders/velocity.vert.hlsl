// Motion: where the ground is drawn, and where last frame drew the same place of the map.
#include "place.hlsl"
#include "motion.hlsl"

struct Vertex
{
    precise float4 position : SV_Position;
    float2 place : PLACE;
    precise float4 now : NOW;   // clip space without jitter
    precise float4 last : LAST; // the last frame's clip space, without jitter
};

Vertex main(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    Placed placed = place_vertex(vertex, instance);
    Vertex output;
    output.position = project(placed.relative);
    output.place = placed.place;
    output.now = mul(unjittered, float4(placed.relative, 1.0));
    output.last = mul(last_view_projection, float4(last_relative(placed.place, placed.still), 1.0));
    return output;
}
