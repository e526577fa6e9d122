// Lists the lamps of a strip of cells: up to CLUSTER_STRIP columns of one row and one slice. (Olsson, Billeter and Assarsson,
// Clustered Deferred and Forward Shading, 2012.)
//
// Lamps are looked at twice: once to know how long each list is, so that its place is taken with one atomic, and once to write it.
// Within a list numbers rise: what a pixel adds up, it adds up in the same order in every frame.
#include "clusters.hlsl"

[[vk::binding(BINDING_CLUSTER_REACHES, SET)]] StructuredBuffer<LampReach> reaches;
[[vk::binding(BINDING_CLUSTER_WORDS, SET)]] RWStructuredBuffer<uint> words;
[[vk::binding(BINDING_CLUSTER_COUNTS, SET)]] RWStructuredBuffer<uint> counts;

// Words of the bits of a chunk's lanes.
static const uint LANE_WORDS = CLUSTER_LANES / 32;
// Words of the bits of all chunks of 65536 lamps.
static const uint CHUNK_WORDS = 65536 / CLUSTER_LANES / 32;

groupshared float4 column_planes[CLUSTER_STRIP][2];
groupshared float4 cell_balls[CLUSTER_STRIP];
groupshared uint lengths[CLUSTER_STRIP];
groupshared uint ends[CLUSTER_STRIP]; // the room of a list ends
groupshared uint next[CLUSTER_STRIP]; // where its next number goes
groupshared uint listed[CLUSTER_STRIP][LANE_WORDS];
groupshared uint chunks[CHUNK_WORDS]; // chunks of lamps of which any is listed

struct Strip
{
    uint first; // column
    uint columns;
    uint row;
    uint slice;
    float4 planes[4]; // depths, row
};

// The place of the camera's frame that is seen there in clip space at a depth: `row 0 · p = x · row 3 · p`, and the same for y.
float3 place_at(float2 clip, float depth)
{
    float4 a = clip_rows[0] - clip_rows[2] * clip.x;
    float4 b = clip_rows[1] - clip_rows[2] * clip.y;
    float2 rest = float2(a.z, b.z) * depth - float2(a.w, b.w);
    float area = a.x * b.y - a.y * b.x;
    return float3((rest.x * b.y - a.y * rest.y) / area, (a.x * rest.y - rest.x * b.x) / area, -depth);
}

// A ball that holds a cell; boundless where the cell is.
float4 around(float2 x, float2 y, float2 depths)
{
    float3 low = place_at(float2(x.x, y.x), depths.x);
    float3 high = low;
    [unroll] for (uint corner = 1; corner < 8; corner++)
    {
        float2 clip = float2((corner & 1) == 0 ? x.x : x.y, (corner & 2) == 0 ? y.x : y.y);
        float3 place = place_at(clip, (corner & 4) == 0 ? depths.x : depths.y);
        low = min(low, place);
        high = max(high, place);
    }
    float3 centre = 0.5 * (low + high);
    float radius = 0.5 * length(high - low);
    radius += FURTHER * (radius + length(centre));
    return radius < BOUNDLESS ? float4(centre, radius) : float4(0.0, 0.0, 0.0, BOUNDLESS);
}

// False where a ball is outside a lamp's cone, or beyond its range (Wronski, Cull that cone!, 2017, with the apex, and with cones wider
// than a half space).
bool cone_meets(LampReach lamp, float4 ball)
{
    if (ball.w >= BOUNDLESS)
        return true;
    float3 from = ball.xyz - lamp.apex;
    float apart = length(from);
    float ahead = dot(from, lamp.axis);
    float across = length(cross(from, lamp.axis));
    float outside = across * lamp.cosine - ahead * lamp.sine;
    bool apex_is_nearest = ahead * lamp.cosine + across * lamp.sine < 0.0;
    float away = outside > 0.0 && apex_is_nearest ? apart : outside;
    float radius = ball.w + FURTHER * apart;
    return !(away > radius || apart > radius + lamp.range);
}

// The cells of the strip that a lamp may reach, a bit each.
uint reached_by(Strip strip, uint number)
{
    LampReach lamp = reaches[number];
    bool passes = (lamp.slices & 0xffff) <= strip.slice && strip.slice <= lamp.slices >> 16;
    passes = passes && (lamp.rows & 0xffff) <= strip.row && strip.row <= lamp.rows >> 16;
    uint first = max(lamp.columns & 0xffff, strip.first);
    uint end = min((lamp.columns >> 16) + 1, strip.first + strip.columns);
    if (!passes || first >= end)
        return 0;
    float4 ball = float4(lamp.centre, lamp.radius);
    [unroll] for (uint plane = 0; plane < 4; plane++)
        passes = passes && clip_ball(ball, strip.planes[plane]);
    if (!passes)
        return 0;
    uint reached = 0;
    [loop] for (uint column = first - strip.first; column < end - strip.first; column++)
    {
        bool enters = ball_enters(ball.xyz, ball.w, column_planes[column][0]) && ball_enters(ball.xyz, ball.w, column_planes[column][1]);
        if (enters && (lamp.cosine == EVERY_DIRECTION || cone_meets(lamp, cell_balls[column])))
            reached |= 1u << column;
    }
    return reached;
}

// The strip's bounds, a column a lane.
Strip begin_strip(uint3 group, uint lane)
{
    Strip strip;
    strip.first = group.x * CLUSTER_STRIP;
    strip.columns = min(grid.x - strip.first, CLUSTER_STRIP);
    strip.row = group.y;
    strip.slice = group.z;
    float2 depths = slice_depths(strip.slice);
    strip.planes[0] = float4(0.0, 0.0, -1.0, -depths.x);
    strip.planes[1] = float4(0.0, 0.0, 1.0, depths.y);
    float2 y = row_edges(strip.row);
    float4 planes[2];
    between(1, y, planes);
    strip.planes[2] = planes[0];
    strip.planes[3] = planes[1];
    if (lane < strip.columns)
    {
        float2 x = column_edges(strip.first + lane);
        between(0, x, planes);
        column_planes[lane][0] = planes[0];
        column_planes[lane][1] = planes[1];
        cell_balls[lane] = around(x, y, depths);
    }
    if (lane < CLUSTER_STRIP)
    {
        lengths[lane] = 0;
        [unroll] for (uint word = 0; word < LANE_WORDS; word++)
            listed[lane][word] = 0;
    }
    if (lane < CHUNK_WORDS)
        chunks[lane] = 0;
    return strip;
}

uint header_of(Strip strip, uint column)
{
    return 2 * ((strip.slice * grid.y + strip.row) * grid.x + strip.first + column);
}

// Takes the room of a cell's list and returns where it begins. Where it does not fit, the first of its lamps have what is left.
uint take_room(Strip strip, uint column)
{
    uint wanted = lengths[column];
    uint place = 0;
    if (wanted > 0)
        InterlockedAdd(counts[0], wanted, place);
    uint given = min(wanted, room.y - min(place, room.y));
    if (given < wanted)
    {
        uint before;
        InterlockedAdd(counts[1], wanted - given, before);
    }
    uint first = room.x + min(place, room.y);
    next[column] = first;
    ends[column] = first + given;
    words[header_of(strip, column)] = first;
    return first;
}

// Writes the numbers of a chunk's lamps: each goes as far behind the list's end as there are lanes before it that are listed too.
void write_chunk(uint lane, uint number, uint reached)
{
    [loop] for (uint rest = reached; rest != 0; rest &= rest - 1)
        InterlockedOr(listed[firstbitlow(rest)][lane / 32], 1u << (lane % 32));
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint left = reached; left != 0; left &= left - 1)
    {
        uint column = firstbitlow(left);
        uint place = next[column] + countbits(listed[column][lane / 32] & ((1u << (lane % 32)) - 1));
        for (uint word = 0; word < lane / 32; word++)
            place += countbits(listed[column][word]);
        if (place < ends[column])
            words[place] = number;
    }
    GroupMemoryBarrierWithGroupSync();
    if (lane < CLUSTER_STRIP)
    {
        [unroll] for (uint word = 0; word < LANE_WORDS; word++)
        {
            next[lane] += countbits(listed[lane][word]);
            listed[lane][word] = 0;
        }
    }
    GroupMemoryBarrierWithGroupSync();
}

[numthreads(CLUSTER_LANES, 1, 1)]
void main(uint3 group : SV_GroupID, uint lane : SV_GroupIndex)
{
    Strip strip = begin_strip(group, lane);
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint number = lane; number < grid.w; number += CLUSTER_LANES)
    {
        uint reached = reached_by(strip, number);
        if (reached != 0)
            InterlockedOr(chunks[number / CLUSTER_LANES / 32], 1u << (number / CLUSTER_LANES % 32));
        [loop] for (; reached != 0; reached &= reached - 1)
            InterlockedAdd(lengths[firstbitlow(reached)], 1);
    }
    GroupMemoryBarrierWithGroupSync();
    uint first = 0;
    if (lane < strip.columns)
        first = take_room(strip, lane);
    GroupMemoryBarrierWithGroupSync();
    [loop] for (uint chunk = 0; chunk * CLUSTER_LANES < grid.w; chunk++)
    {
        // The same for every lane.
        if ((chunks[chunk / 32] >> (chunk % 32) & 1) == 0)
            continue;
        uint lamp = chunk * CLUSTER_LANES + lane;
        write_chunk(lane, lamp, lamp < grid.w ? reached_by(strip, lamp) : 0);
    }
    // As many as were written: a compiler may round the two looks at a lamp differently, and what is no number of a lamp is never read.
    if (lane < strip.columns)
        words[header_of(strip, lane) + 1] = min(next[lane], ends[lane]) - first;
}
