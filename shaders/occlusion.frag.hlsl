// How much of the sky a pixel sees, and from where, of a few directions (Jimenez, Wu, Pesce and Jarabo, *Practical Real-Time
// Strategies for Accurate Indirect Occlusion*, 2016): planes through the line of sight cut the scene into slices, horizons are
// searched in the depth, and what lies between them is integrated in closed form, weighted by the cosine. What is returned is one
// direction's share of noise: occlusion_blur.frag makes a plane of it.
//
// It differs from the paper in what is added up. That is what is hidden, arc by arc as the horizon rises, each arc by how near it is
// what hides it: so open ground is open to the last bit however few slices there are, and far ridges fade out of it without a halo.
#include "occlusion.hlsl"

static const float PI = 3.14159265;
static const int STEPS = 10; // a side of a slice
// Parts of the radius that a thing reaches away from the eye behind what is seen of it.
static const float THICKNESS = 0.75;

// A side of a slice. Angles are from the line of sight, 0, to this side.
struct Side
{
    float2 pixels;    // one step of a pixel
    float3 outward;   // unit, across the line of sight
    float normal;     // angle of the normal's part in the slice, below 0 where it leans to the other side
    float normal_part;
};

// Integrals from the line of sight to an angle of cos(angle - normal) |sin(angle)|: of itself (the paper's inner integral), and of
// the direction times that, outward and toward the eye.
float3 integrals(float angle, float normal)
{
    float s;
    float c;
    float ns;
    float nc;
    sincos(angle, s, c);
    sincos(normal, ns, nc);
    float whole = 0.25 * (-cos(2.0 * angle - normal) + nc + 2.0 * angle * ns);
    float outward = (s * s * s * nc + (c * c * c - 3.0 * c + 2.0) * ns) / 3.0;
    float toward = ((1.0 - c * c * c) * nc + s * s * s * ns) / 3.0;
    return float3(whole, outward, toward);
}

// The angle under which something is seen from the ground. It is measured from the normal: then a texel that lies beside the slice,
// as most do by half their width, is above a plane of this normal only where it is above it. Which side of the normal it is on can be
// told only of what is well above that plane.
float angle_of(Side side, Ground ground, float3 toward)
{
    float above = dot(toward, ground.normal);
    float from_normal = acos(clamp(above / side.normal_part, -1.0, 1.0));
    bool before = side.normal > 0.0 && above > 0.5 && dot(toward, ground.toward_eye) > cos(side.normal);
    return max(side.normal + (before ? -from_normal : from_normal), 0.0);
}

// What a side hides: the integrals.
float3 hidden_by(Side side, Ground ground, int2 pixel, float reach, float radius, float noise)
{
    float horizon = max(side.normal + 0.5 * PI, 0.0);
    float3 at_horizon = integrals(horizon, side.normal);
    float3 hidden = 0.0;
    [loop] for (int i = 0; i < STEPS; i++)
    {
        // Closer together where they are near.
        float part = (float(i) + noise) / float(STEPS);
        float away = 1.0 + part * part * (reach - 1.0);
        int2 at = int2(floor(float2(pixel) + 0.5 + side.pixels * away));
        if (!is_seen(at))
            break;
        float depth = depth_plane.Load(int3(at, 0));
        float3 toward = place_at(at, depth) - ground.place;
        float metres = length(toward);
        float weight = counted(metres, radius);
        // Below the ground's own plane nothing is hidden by anything; the sky has no depth and no place.
        if (depth <= 0.0 || weight <= 0.0 || dot(toward, ground.normal) <= 1e-4 * metres)
            continue;
        float angle = angle_of(side, ground, toward / metres);
        if (angle >= horizon)
            continue;
        // What is behind the thing is open again.
        float3 back = toward - ground.toward_eye * (THICKNESS * radius);
        float lowest = dot(back, ground.normal) > 0.0 ? angle_of(side, ground, normalize(back)) : horizon;
        float3 at_angle = integrals(angle, side.normal);
        float3 from = lowest < horizon ? integrals(max(lowest, angle), side.normal) : at_horizon;
        hidden += weight * (from - at_angle);
        horizon = angle;
        at_horizon = at_angle;
    }
    return side.normal_part * hidden;
}

// Sixteen directions and four offsets of the steps, none of which two pixels of four by four share with all of their neighbours (the
// paper's spatial noise).
float2 noise_of(int2 pixel)
{
    int turn = ((pixel.x + pixel.y) & 3) * 4 + (pixel.x & 3);
    int offset = (pixel.y - pixel.x) & 3;
    return float2((float(turn) + 0.5) / 16.0, (float(offset) + 0.5) / 4.0);
}

// What a slice hides: a share of the whole, and of the direction that light comes from.
float4 hidden_in(float turn, Ground ground, int2 pixel, float noise)
{
    float2 pixels;
    sincos(turn, pixels.y, pixels.x);
    float3 of_pixel = pixels.x * ground.across + pixels.y * ground.down;
    float metres = length(of_pixel);
    float3 outward = of_pixel / metres;
    float3 axis = cross(outward, ground.toward_eye);
    float3 in_slice = ground.normal - axis * dot(ground.normal, axis);
    float part = length(in_slice);
    // Of ground close by not all of the radius is searched, and what is searched ends as softly.
    float radius = min(search.x, search.z * metres);
    float reach = radius / metres;
    // What is smaller than a few pixels cannot be searched in them.
    float visible = saturate(0.5 * reach - 1.0);
    if (part < 1e-3 || visible <= 0.0)
        return 0.0;
    float angle = acos(clamp(dot(in_slice, ground.toward_eye) / part, -1.0, 1.0));
    angle = dot(in_slice, outward) < 0.0 ? -angle : angle;
    float4 hidden = 0.0;
    [unroll] for (int i = 0; i < 2; i++)
    {
        float way = i == 0 ? 1.0 : -1.0;
        Side side;
        side.pixels = way * pixels;
        side.outward = way * outward;
        side.normal = way * angle;
        side.normal_part = part;
        float3 found = hidden_by(side, ground, pixel, reach, radius, noise);
        hidden += float4(found.x, side.outward * found.y + ground.toward_eye * found.z);
    }
    return visible * hidden;
}

float4 main(float4 position : SV_Position) : SV_Target0
{
    int2 pixel = int2(position.xy);
    Ground ground;
    if (!ground_at(pixel, ground))
        return float4(1.0, 0.0, 0.0, 0.0);
    // Of the open half sphere, weighted by the cosine, light comes from two thirds of the normal.
    float4 open = float4(1.0, ground.normal * (2.0 / 3.0));
    // A normal of the layers, or between vertices, may lean out of sight; the slices need one that is seen.
    float facing = dot(ground.normal, ground.toward_eye);
    ground.normal = normalize(ground.normal + ground.toward_eye * max(1e-3 - facing, 0.0));
    float2 noise = noise_of(pixel);
    int slices = int(search.y);
    float4 hidden = 0.0;
    [loop] for (int i = 0; i < slices; i++)
        hidden += hidden_in(PI * (float(i) + noise.x) / float(slices), ground, pixel, noise.y);
    return open - hidden / float(slices);
}
