// The ground as a caster of shadows: depth as a light sees it, under the lattice's own position function.
#include "place.hlsl"

// Set where the device does not clamp depth: what stands between the light and the near plane is flattened onto that.
[[vk::constant_id(4)]] const bool CLAMP_DEPTH = false;

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
    // Depth is reverse: the near plane is where z is w.
    if (CLAMP_DEPTH)
        output.position.z = min(output.position.z, output.position.w);
    output.place = placed.place;
    return output;
}
