// Depth alone. The place goes along for the holes.
#include "place.hlsl"

struct Vertex
{
    precise float4 position : SV_Position;
    float2 place : PLACE;
};

Vertex main(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    Placed placed = place_vertex(vertex, instance);
    Vertex output;
    output.position = project(placed.relative);
    output.place = placed.place;
    return output;
}
