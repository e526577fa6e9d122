// The ground as a caster of shadows: depth as a light sees it, under the lattice's own position function.
#include "place.hlsl"

// Set where the device does not clamp depth: what stands between the light and the near plane is flattened onto that.
[[vk::constant_id(4)]] const bool CLAMP_DEPTH = false;

struct Vertex
{
    precise float4 position : SV_Position;
    float2 place : PLACE;
};

// The height of a whole sample, in codes.
float sample_height(float2 at)
{
    at = clamp(at, 0.0, float2(map.xy));
    uint2 tile = min(uint2(tile_of(at.x), tile_of(at.y)), tiles.xy - 1);
    uint2 texel = tile * (1u << map.w) + (uint2(at) - tile * map.z);
    return height_texel(texel.x, texel.y, 0);
}

// How far the edges from a vertex of a coarse lattice lie above the ground between its vertices, codes. A quad that bridges a
// gully would cast onto the gully's floor; lowered by this at both ends it lies on it. Where the ground is even, or bulges, it is 0;
// and never more than gullies of 45° are deep, so that walls keep their height.
float bridged(float2 place, float height, float step)
{
    float most = 0.0;
    [loop] for (uint i = 0; i < 8; i++)
    {
        // Around the vertex, itself left out.
        uint at = i < 4 ? i : i + 1;
        float2 toward = (float2(at % 3, at / 3) - 1.0) * step;
        float end = sample_height(place + toward);
        float between = sample_height(place + 0.5 * toward);
        most = max(most, 0.5 * (height + end) - between);
        if (step > 2.0)
        {
            float near = sample_height(place + 0.25 * toward);
            float far = sample_height(place + 0.75 * toward);
            most = max(most, max(lerp(height, end, 0.25) - near, lerp(height, end, 0.75) - far));
        }
    }
    return min(most, 0.5 * step * min(spacing.x, spacing.y) / camera_height.z);
}

// How much of that is taken: all of it where light falls at 15° and steeper, little where it grazes. There a gully's floor is dark in
// any case, and what is lowered would cast a much shorter shadow. Depth grows toward the light.
float steepness()
{
    float3 toward_light = view_projection[2].xyz;
    return saturate(4.0 * toward_light.y * rsqrt(dot(toward_light, toward_light)));
}

Vertex main(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    Placed placed = place_vertex(vertex, instance);
    float step = nodes[instance].step;
    // Where the finest heights are read, which a coarse lattice leaves out most of.
    if (step > 1.0 && placed.lambda <= spacing.w)
        placed.relative.y -= steepness() * bridged(placed.place, placed.height, step) * camera_height.z;
    Vertex output;
    output.position = project(placed.relative);
    // Depth is reverse: the near plane is where z is w.
    if (CLAMP_DEPTH)
        output.position.z = min(output.position.z, output.position.w);
    output.place = placed.place;
    return output;
}
