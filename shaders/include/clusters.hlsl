// What lamps reach of a view's cells, on the device. Twin of src/light/clusters: the same tests, in 32 bits, with wider margins, so
// that what the CPU lists is listed here as well; a few lamps more, whose edge lies within a margin of a cell's.
#ifndef LANDFORM_CLUSTERS
#define LANDFORM_CLUSTERS

// A lamp reaches further than it does by this part of its range and of its distance: sixteen times what positions, turns and planes
// lose together in 32 bits.
static const float FURTHER = 4e-6;
// Nothing is further away, and no lamp has to reach further: its square is a number of 32 bits.
static const float FURTHEST = 1e16;
// A cell that goes further has no bounds.
static const float BOUNDLESS = 1e15;
// The part of a depth by which a slice is deeper at both ends, for logarithms.
static const float DEEPER = 1.1e-3;
// The sine and the cosine of 1.5 thousandths of a radian, by which cones are wider.
static const float2 CONE_WIDER = float2(1.4999994e-3, 0.999998875);
// The cosine of a lamp that shines all around.
static const float EVERY_DIRECTION = -2.0;

[[vk::binding(BINDING_CLUSTER_VIEW, SET)]] cbuffer ClusterView
{
    float4 clip_rows[3]; // the camera's frame, metres -> clip space: x, y, w
    float4 turn[3];      // the world's axes -> the camera's frame
    uint4 grid;          // columns, rows, slices, lamps
    float4 slicing;      // slice = log2(depth) * x + y; metres at which slices begin to grow; 1 where rows count up in clip space
    float4 seen;         // metres at which the view begins and lamps end; a pixel, as a part of the width and of the height
    uint4 room;          // words before the lists, words of the lists
};

struct LampReach
{
    float3 centre; // a ball that holds what it reaches
    float radius;
    float3 apex; // where a spot's cone begins
    float range;
    float3 axis;
    float sine;   // of the cone's half angle
    float cosine; // EVERY_DIRECTION without a cone
    uint columns; // the first, and from bit 16 the last
    uint rows;
    uint slices;
};

// A half space, normal and offset; a normal of 0 is everything.
float4 half_space(float4 plane)
{
    float size = length(plane.xyz);
    return size == 0.0 || size <= 1e-12 * abs(plane.w) ? 0.0 : plane / size;
}

float distance_to(float4 plane, float3 place)
{
    return dot(plane.xyz, place) + plane.w;
}

// The widened edges of a column or a row in clip space, lower before higher.
float2 edges(uint cell, uint count, float pixel, bool turned)
{
    float2 along = float2(float(cell) / float(count) - pixel, float(cell + 1) / float(count) + pixel);
    return turned ? 1.0 - 2.0 * along.yx : 2.0 * along - 1.0;
}

float2 column_edges(uint column)
{
    return edges(column, grid.x, seen.z, false);
}

float2 row_edges(uint row)
{
    return edges(row, grid.y, seen.w, slicing.w != 0.0);
}

// The planes, normals pointing in, between two edges along one of clip space's axes.
void between(uint axis, float2 edges, out float4 planes[2])
{
    planes[0] = half_space(clip_rows[axis] - clip_rows[2] * edges.x);
    planes[1] = half_space(clip_rows[2] * edges.y - clip_rows[axis]);
}

// Where a slice begins and ends, a little deeper at both ends than a pixel's logarithm has it.
float2 slice_depths(uint slice)
{
    // The first takes what is nearer as well, in a view without perspective also what is behind the camera.
    float begin = slice == 0 ? seen.x : exp2((float(slice) - slicing.y) / slicing.x);
    float end = max(min(exp2((float(slice + 1) - slicing.y) / slicing.x), seen.y), begin);
    return float2(begin - abs(begin) * DEEPER, end + abs(end) * DEEPER);
}

uint slice_of(float depth)
{
    return uint(clamp(log2(max(depth, slicing.z)) * slicing.x + slicing.y, 0.0, float(grid.z - 1)));
}

// How far a cone goes from its apex along a direction of length 1.
float along(LampReach lamp, float3 direction)
{
    float cosine = dot(direction, lamp.axis);
    if (cosine >= lamp.cosine)
        return lamp.range;
    // The edge of the cone that is nearest to the direction. The cross product knows small angles, which cosines do not.
    float nearest = cosine * lamp.cosine + length(cross(direction, lamp.axis)) * lamp.sine;
    return max(lamp.range * nearest, 0.0);
}

float margin_of(LampReach lamp)
{
    return FURTHER * (lamp.range + length(lamp.apex));
}

// Whether a ball may reach inside a plane. What is no number does.
bool ball_enters(float3 centre, float radius, float4 plane)
{
    return !(distance_to(plane, centre) < -radius);
}

// Whether a lamp may.
bool lamp_enters(LampReach lamp, float4 plane)
{
    if (!ball_enters(lamp.centre, lamp.radius, plane))
        return false;
    if (lamp.cosine == EVERY_DIRECTION)
        return true;
    return !(distance_to(plane, lamp.apex) + along(lamp, plane.xyz) < -margin_of(lamp));
}

// Makes of a ball one that holds what of it is inside a plane; false where nothing is (Persson, Practical Clustered Shading, 2013).
bool clip_ball(inout float4 ball, float4 plane)
{
    float away = distance_to(plane, ball.xyz);
    if (away < -ball.w)
        return false;
    if (away < 0.0)
        ball = float4(ball.xyz - plane.xyz * away, sqrt(max(ball.w * ball.w - away * away, 0.0)));
    return true;
}

#endif
