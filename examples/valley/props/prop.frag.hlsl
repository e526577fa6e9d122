// A thing in the frame's light, as landform's ground has it: the same sun, shadows, sky and lamps, from the same set.
#include "lit_planes.hlsl"

struct Fragment
{
    float4 position : SV_Position;
    float3 relative : RELATIVE;
    float3 normal : NORMAL;
    float3 own : OWN;
    float4 tint : TINT;
    float4 turn : TURN;
    float kind : KIND;
};

// Interpolated numbers are not quite whole.
static const float WOOD = 0.5;
static const float GLASS = 1.5;

float3 turned(float4 turn, float3 v)
{
    return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v);
}

float chance(int3 cell)
{
    uint bits = uint(cell.x) * 0x8da6b343u ^ uint(cell.y) * 0xd8163841u ^ uint(cell.z) * 0xcb1ab31fu;
    bits = (bits ^ (bits >> 15)) * 0x2c1b3c6du;
    bits = (bits ^ (bits >> 12)) * 0x297a2d39u;
    return float((bits ^ (bits >> 15)) & 0xffffu) / 65535.0;
}

// Noise of a cell a unit, −1…1, and its slope.
float4 noise(float3 at)
{
    int3 cell = int3(floor(at));
    float3 f = at - floor(at);
    float3 u = f * f * (3.0 - 2.0 * f);
    float3 du = 6.0 * f * (1.0 - f);
    float corners[8];
    [unroll] for (int i = 0; i < 8; i++)
        corners[i] = 2.0 * chance(cell + int3(i & 1, (i >> 1) & 1, i >> 2)) - 1.0;
    float4 low = float4(corners[0], corners[1], corners[2], corners[3]);
    float4 high = float4(corners[4], corners[5], corners[6], corners[7]);
    float4 z = lerp(low, high, u.z);
    float2 y = lerp(z.xy, z.zw, u.y);
    float4 dz = high - low;
    float2 dz_y = lerp(dz.xy, dz.zw, u.y);
    return float4(lerp(y.x, y.y, u.x), (y.y - y.x) * du.x, lerp(z.z - z.x, z.w - z.y, u.x) * du.y, lerp(dz_y.x, dz_y.y, u.x) * du.z);
}

// What a pixel is too coarse for fades away.
float seen_of(float cells_a_pixel)
{
    return saturate(1.5 - 2.0 * cells_a_pixel);
}

Lit surface_of(Fragment fragment)
{
    Lit surface;
    surface.relative = fragment.relative;
    surface.relief = normalize(fragment.normal);
    surface.toward_eye = toward_eye_of(fragment.relative);
    surface.albedo = fragment.tint.rgb;
    surface.occlusion = 1.0;
    surface.roughness = 0.85;
    float across = max(length(ddx(fragment.own)), length(ddy(fragment.own)));
    float3 slope = 0.0;
    if (fragment.kind < WOOD)
    {
        // Grain, cracks and lichen of rock.
        float sum = 0.0;
        float frequency = 2.3;
        float strength = 0.5;
        [unroll] for (int octave = 0; octave < 4; octave++)
        {
            float4 found = noise(fragment.own * frequency + 17.0 * octave) * seen_of(across * frequency);
            sum += strength * found.x;
            slope += strength * frequency * found.yzw;
            frequency *= 2.7;
            strength *= 0.5;
        }
        slope *= 0.055;
        surface.albedo *= 1.0 + 0.45 * sum;
        float lichen = smoothstep(0.25, 0.6, noise(fragment.own * 1.7 + 91.0).x) * saturate(surface.relief.y);
        surface.albedo = lerp(surface.albedo, float3(0.21, 0.21, 0.10), 0.45 * lichen);
        surface.occlusion = saturate(0.9 + 0.5 * sum);
    }
    else if (fragment.kind < GLASS)
    {
        // Grain of wood, along the post.
        float3 grained = fragment.own * float3(38.0, 2.5, 38.0);
        float4 found = noise(grained) * seen_of(across * 38.0);
        surface.albedo *= 1.0 + 0.35 * found.x;
        slope = found.yzw * float3(1.0, 0.06, 1.0) * 0.12;
    }
    else
    {
        surface.roughness = 0.35;
    }
    surface.normal = normalize(surface.relief - turned(fragment.turn, slope));
    return surface;
}

Planes main(Fragment fragment)
{
    Planes planes = lit_planes(surface_of(fragment), fragment.position.xy);
    // A lamp's glass shines by itself, in the colour of its light.
    if (fragment.kind >= GLASS)
        planes.light.rgb = min(planes.light.rgb + float3(1.0, 0.44, 0.16) * fragment.tint.a, MOST_LIT);
    return planes;
}
