// What each lamp of a view reaches, once a lamp: a ball and a cone in the camera's frame, and the columns, rows and slices between
// which its cells lie. (Olsson, Billeter and Assarsson, Clustered Deferred and Forward Shading, 2012.)
#include "clusters.hlsl"
#include "lamp_record.hlsl"

[[vk::binding(BINDING_CLUSTER_LAMPS, SET)]] StructuredBuffer<LampRecord> lamp_records;
[[vk::binding(BINDING_CLUSTER_REACHES, SET)]] RWStructuredBuffer<LampReach> reaches;
[[vk::binding(BINDING_CLUSTER_COUNTS, SET)]] RWStructuredBuffer<uint> counts;

float3 turned(float3 v)
{
    return float3(dot(turn[0].xyz, v), dot(turn[1].xyz, v), dot(turn[2].xyz, v));
}

// The ball around a cone's sector.
float4 around_sector(LampReach lamp)
{
    if (lamp.cosine >= 0.70710678)
    {
        // Through the apex and the rim.
        float radius = lamp.range / (2.0 * lamp.cosine);
        return float4(lamp.apex + lamp.axis * radius, radius);
    }
    // Around the rim, which is the widest part of a sector that is less than half a ball.
    if (lamp.cosine > 0.0)
        return float4(lamp.apex + lamp.axis * (lamp.range * lamp.cosine), lamp.range * lamp.sine);
    return float4(lamp.apex, lamp.range);
}

LampReach reach_of(LampRecord lamp)
{
    LampReach reach;
    reach.apex = turned(lamp.position);
    reach.range = min(lamp.range, FURTHEST);
    float margin = margin_of(reach);
    reach.range += margin;
    reach.axis = turned(lamp.toward);
    reach.cosine = EVERY_DIRECTION;
    reach.sine = 0.0;
    float4 ball = float4(reach.apex, reach.range);
    if (lamp.cos_outer > EVERY_DIRECTION)
    {
        float cosine = lamp.cos_outer;
        float sine = sqrt(max((1.0 - cosine) * (1.0 + cosine), 0.0));
        reach.cosine = cosine * CONE_WIDER.y - sine * CONE_WIDER.x;
        reach.sine = sine * CONE_WIDER.y + cosine * CONE_WIDER.x;
        if (reach.sine <= 0.0)
        {
            reach.cosine = -1.0;
            reach.sine = 0.0;
        }
        // The cone begins behind where the lamp is, so that a lamp that was rounded is in it.
        float behind = margin / max(reach.sine, 1e-2);
        reach.apex -= reach.axis * behind;
        reach.range += behind;
        ball = around_sector(reach);
        ball.w += margin;
    }
    reach.centre = ball.xyz;
    reach.radius = ball.w;
    return reach;
}

// The first and the last column or row that a lamp may reach; a first one after the last where there is none.
uint span_of(LampReach lamp, uint axis)
{
    uint first = 0xffff;
    uint last = 0;
    [loop] for (uint cell = 0; cell < grid[axis]; cell++)
    {
        float2 at;
        if (axis == 0)
            at = column_edges(cell);
        else
            at = row_edges(cell);
        float4 planes[2];
        between(axis, at, planes);
        if (lamp_enters(lamp, planes[0]) && lamp_enters(lamp, planes[1]))
        {
            first = min(first, cell);
            last = cell;
        }
    }
    return first | last << 16;
}

// The same of slices; depth grows along −z.
uint slices_of(LampReach lamp)
{
    float2 depths = float2(-lamp.centre.z - lamp.radius, -lamp.centre.z + lamp.radius);
    if (lamp.cosine != EVERY_DIRECTION)
    {
        float margin = margin_of(lamp);
        depths.x = max(depths.x, -lamp.apex.z - along(lamp, float3(0.0, 0.0, 1.0)) - margin);
        depths.y = min(depths.y, -lamp.apex.z + along(lamp, float3(0.0, 0.0, -1.0)) + margin);
    }
    if (depths.x > seen.y + abs(seen.y) * DEEPER || depths.y < seen.x - abs(seen.x) * DEEPER)
        return 0xffff;
    return slice_of(depths.x * (1.0 - DEEPER)) | slice_of(min(depths.y, seen.y) * (1.0 + DEEPER)) << 16;
}

[numthreads(64, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    // Nothing is listed yet.
    if (thread.x < 2)
        counts[thread.x] = 0;
    if (thread.x >= grid.w)
        return;
    LampReach reach = reach_of(lamp_records[thread.x]);
    reach.slices = slices_of(reach);
    reach.columns = span_of(reach, 0);
    reach.rows = span_of(reach, 1);
    reaches[thread.x] = reach;
}
