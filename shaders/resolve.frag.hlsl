// Luminance of this frame and of the frames before it, which drew the same places from elsewhere in their pixels (Karis, *High Quality
// Temporal Supersampling*, SIGGRAPH 2014). What the last frame left is fetched from where the motion says that it was, and is held to
// what this frame shows around the pixel, by mean and deviation (Salvi, *An Excursion in Temporal Supersampling*, GDC 2016).
//
// Alpha counts the frames that a pixel is the mean of. So the first frames after a cut count as much as they should, and a pixel whose
// past was wrong is made of new frames quickly.
#include "luminance.hlsl"
#include "noise.hlsl"

[[vk::binding(BINDING_INPUT, SET)]] Texture2D<float4> luminance_plane;
[[vk::binding(BINDING_INPUT_NORMALS, SET)]] Texture2D<float2> motion_plane;
[[vk::binding(BINDING_INPUT_OCCLUSION, SET)]] Texture2D<float> scene_depth;
[[vk::binding(BINDING_INPUT_HISTORY, SET)]] Texture2D<float4> last_plane;
[[vk::binding(BINDING_INPUT_SAMPLER, SET)]] SamplerState interpolating;

[[vk::push_constant]] cbuffer ResolveConstants
{
    float4 viewport; // corner in texels, size in texels
    float4 frame;    // texels that the picture is moved by, right and down; exposure; frames, 1 copies
    float4 last;     // 1 where the last frame left its picture; a number that each frame has another of, 0…1
};

// Exposed light that is worth telling apart: it is white long before.
static const float MOST_EXPOSED = 1024.0;
// Exposed light up to which a mean is that of light; above it is that of what a screen would show of it, so that a pixel that is
// hit by the sun in one frame of sixteen does not flicker.
static const float KNEE = 0.5;
// One over twice the square of the deviation of the filter that weighs samples by their distance from the pixel's middle, texels.
static const float FILTER = 3.4;
// Deviations that the past may be from what is around.
static const float CLOSE = 1.25;
// Where nothing moved the past is what is known best. It may be further, and by a part of white even where one frame shows nothing but
// sky, for another one hits the tip of a ridge there.
static const float WIDE = 4.0;
static const float ALLOWED = 0.05;
// That is so as long as the last picture is as bright around the pixel as this frame: within so much of white and so many deviations.
static const float ALIKE = 0.02;
static const float ALIKE_DEVIATIONS = 0.6;
// Where nothing moves a mean goes on to so many times the frames, so that it stands as still as the picture.
static const float LONGER = 4.0;
// Where it moves a mean ends before: each frame the past is interpolated once more, and blurred a little. At least so many frames.
static const float MOVING = 0.5;
static const float FEWEST = 4.0;
// How far the past may have been moved, of what a screen shows, to count as it did, and from where it counts no more.
static const float LITTLE = 0.02;
static const float MUCH = 0.15;
// Texels that are no motion.
static const float STILL = 1.0 / 512.0;

// What is not finite once would stay so in every mean; no number is 0, for no comparison with it is true.
float3 finite(float3 light)
{
    return float3(light.r >= 0.0 ? min(light.r, MOST_ALONE) : 0.0, light.g >= 0.0 ? min(light.g, MOST_ALONE) : 0.0,
                  light.b >= 0.0 ? min(light.b, MOST_ALONE) : 0.0);
}

float largest(float3 of)
{
    return max(of.r, max(of.g, of.b));
}

// Light as it counts in a mean, each channel 0…1: itself up to the knee, then ever less. The hue stays.
float3 held(float3 light)
{
    float3 exposed = light * frame.z;
    float most = largest(exposed);
    float over = min(most, MOST_EXPOSED) - KNEE;
    if (over <= 0.0)
        return exposed;
    float room = 1.0 - KNEE;
    return exposed * ((KNEE + room * over / (room + over)) / most);
}

// The light that counts so.
float3 released(float3 counted)
{
    float room = 1.0 - KNEE;
    float most = largest(counted);
    float over = min(most - KNEE, room * MOST_EXPOSED / (room + MOST_EXPOSED));
    if (over > 0.0)
        counted *= (KNEE + room * over / (room - over)) / most;
    return counted / frame.z;
}

// Brightness, orange against blue, green against purple: the axes along which neighbours differ least.
float3 to_axes(float3 light)
{
    return float3(dot(light, float3(0.25, 0.5, 0.25)), 0.5 * (light.r - light.b), dot(light, float3(-0.25, 0.5, -0.25)));
}

float3 from_axes(float3 axes)
{
    float rest = axes.x - axes.z;
    return float3(rest + axes.y, axes.x + axes.z, rest - axes.y);
}

// Light as it counts, to compare: as evenly as an eye sees it, which sees a step in the dark that is none in the light.
float3 seen(float3 counted)
{
    return to_axes(sqrt(counted));
}

// What this frame shows around a pixel.
struct Around
{
    float3 middle;    // as it counts, at the pixel's middle without jitter
    float3 mean;      // of the nine, as it is seen
    float3 deviation;
    int2 nearest;     // the texel of what is nearest to the eye, which is what moves an edge
};

Around look_around(int2 at)
{
    int2 low = int2(viewport.xy);
    int2 high = max(int2(ceil(viewport.xy + viewport.zw)) - 1, low);
    Around around;
    around.nearest = at;
    float3 sum = 0.0;
    float3 squares = 0.0;
    float3 weighed = 0.0;
    float weights = 0.0;
    float greatest = -1.0;
    [unroll] for (int y = -1; y <= 1; y++)
        [unroll] for (int x = -1; x <= 1; x++)
        {
            int2 texel = clamp(at + int2(x, y), low, high);
            float3 light = held(finite(luminance_plane.Load(int3(texel, 0)).rgb));
            float3 axes = seen(light);
            sum += axes;
            squares += axes * axes;
            float2 off = float2(x, y) - frame.xy;
            float weight = exp(-FILTER * dot(off, off));
            weighed += light * weight;
            weights += weight;
            float depth = scene_depth.Load(int3(texel, 0));
            if (depth > greatest)
            {
                greatest = depth;
                around.nearest = texel;
            }
        }
    around.middle = weighed / weights;
    around.mean = sum / 9.0;
    around.deviation = sqrt(max(squares / 9.0 - around.mean * around.mean, 0.0));
    return around;
}

float4 last_at(float2 texel, float2 whole)
{
    float2 inside = clamp(texel, viewport.xy + 0.5, viewport.xy + viewport.zw - 0.5);
    return last_plane.SampleLevel(interpolating, inside / whole, 0.0);
}

// The last picture between its texels, as sharp as it was: Catmull-Rom of 16 texels in 5 fetches, without the corners, of which there
// is least (Jimenez, *Filmic SMAA*, SIGGRAPH 2016). Alpha is not sharpened.
float4 last_between(float2 texel)
{
    float2 whole;
    last_plane.GetDimensions(whole.x, whole.y);
    float2 first = floor(texel - 0.5) + 0.5;
    float2 part = texel - first;
    float2 before = part * (-0.5 + part * (1.0 - 0.5 * part));
    float2 one = 1.0 + part * part * (-2.5 + 1.5 * part);
    float2 two = part * (0.5 + part * (2.0 - 1.5 * part));
    float2 after = part * part * (-0.5 + 0.5 * part);
    float2 both = one + two;
    float2 middle = first + two / both;
    float4 centre = last_at(middle, whole);
    float3 sum = centre.rgb * (both.x * both.y);
    sum += last_at(float2(middle.x, first.y - 1.0), whole).rgb * (both.x * before.y);
    sum += last_at(float2(middle.x, first.y + 2.0), whole).rgb * (both.x * after.y);
    sum += last_at(float2(first.x - 1.0, middle.y), whole).rgb * (before.x * both.y);
    sum += last_at(float2(first.x + 2.0, middle.y), whole).rgb * (after.x * both.y);
    float weights = both.x * both.y + both.x * (before.y + after.y) + both.y * (before.x + after.x);
    return float4(sum / weights, centre.a);
}

// 1 where the last picture is around a texel as this frame is, which one that the light has changed in is not: the mean of nine knows
// little of where in their pixels they were drawn from, though each of them may be of something else in each frame.
float likeness(int2 at, Around around)
{
    int2 low = int2(viewport.xy);
    int2 high = max(int2(ceil(viewport.xy + viewport.zw)) - 1, low);
    float3 sum = 0.0;
    float3 squares = 0.0;
    [unroll] for (int y = -1; y <= 1; y++)
        [unroll] for (int x = -1; x <= 1; x++)
        {
            float3 axes = seen(held(finite(last_plane.Load(int3(clamp(at + int2(x, y), low, high), 0)).rgb)));
            sum += axes;
            squares += axes * axes;
        }
    float3 mean = sum / 9.0;
    // What is thinner than a pixel is missed by one frame and known to the others.
    float3 deviation = max(sqrt(max(squares / 9.0 - mean * mean, 0.0)), around.deviation);
    float3 apart = abs(mean - around.mean) / (ALIKE + ALIKE_DEVIATIONS * deviation);
    return 1.0 - smoothstep(1.0, 1.5, largest(apart));
}

// Light as 16 bits hold it, up or down by chance: a mean of many frames moves by less than a step of them, and would stop short.
float3 stored(float3 light, float2 pixel)
{
    // It goes evenly through 0…1 from frame to frame.
    uint chance = uint(frac(gradient_noise(pixel) + last.y) * 8192.0);
    return asfloat((asuint(min(light, MOST_ALONE)) + chance) & 0xFFFFE000u);
}

float4 main(float4 position : SV_Position) : SV_Target0
{
    int2 at = int2(position.xy);
    float2 within = position.xy - viewport.xy;
    if (frame.w <= 1.0 || any(within < 0.0) || any(within > viewport.zw))
        return float4(finite(luminance_plane.Load(int3(at, 0)).rgb), 1.0);
    Around around = look_around(at);
    float2 moved = motion_plane.Load(int3(around.nearest, 0)) * viewport.zw;
    float2 before = within - moved;
    bool still = all(abs(moved) < STILL);
    float4 past = 0.0;
    // False for what is no number.
    if (last.x > 0.5 && all(before >= 0.0) && all(before <= viewport.zw))
        past = still ? last_plane.Load(int3(at, 0)) : last_between(viewport.xy + before);
    float count = past.a >= 0.0 ? past.a : 0.0;
    float3 known = seen(held(finite(past.rgb)));

    float3 apart = known - around.mean;
    float sure = still ? saturate(count / frame.w) * likeness(at, around) : 0.0;
    float3 reach = lerp(CLOSE, WIDE, sure) * around.deviation + max(ALLOWED * sure, 1e-5);
    float3 clipped = around.mean + apart / max(largest(abs(apart) / reach), 1.0);
    float lost = dot(abs(known - clipped), 1.0);
    count *= 1.0 - smoothstep(LITTLE, MUCH, lost);
    float moving = max(MOVING * frame.w, min(FEWEST, frame.w));
    count = min(count + 1.0, lerp(moving, LONGER * frame.w, sure));

    float3 kept = max(from_axes(clipped), 0.0);
    float3 mean = lerp(kept * kept, around.middle, 1.0 / count);
    return float4(stored(released(mean), position.xy), count);
}
