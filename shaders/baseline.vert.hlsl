// What the surface is measured against: the same lattice, indices and nodes, placed flat at code 0 without reading a
// height.
#include "place.hlsl"

precise float4 main(uint vertex : SV_VertexID, uint instance : SV_InstanceID) : SV_Position
{
    NodeRecord node = nodes[instance];
    uint2 index = uint2(vertex % ROW, vertex / ROW);
    float2 place = min(node.origin + float2(index) * node.step, float2(map.xy));
    float2 across = relative_to(place, camera_sample);
    float down = (camera_height.x + camera_height.y) * camera_height.z;
    return project(float3(across.x, -down, across.y));
}
