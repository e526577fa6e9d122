// The preview: a hard-coded sun over the layers, or over a neutral tint by height and slope where there are none; and the
// diagnostic views.
#include "surface.hlsl"
#include "microfacets.hlsl"
#include "output.hlsl"

[[vk::constant_id(0)]] const bool HAS_HOLES = false;
// False where only the shaded view is drawn: what the others keep of every layer would be registers.
[[vk::constant_id(3)]] const bool HAS_VIEWS = true;

static const uint VIEW_SHADED = 0;
static const uint VIEW_LAMBDA = 1;
static const uint VIEW_NORMALS = 2;
static const uint VIEW_TILES = 3;
static const uint VIEW_LATTICE = 4;
static const uint VIEW_WEIGHTS = 5;
static const uint VIEW_DOMINANT = 6;
static const uint VIEW_LAYERS = 7;
static const uint VIEW_SLOPE = 8;

float3 shaded(Fragment fragment, Ground ground)
{
    float3 normal = ground.normal;
    // What the layers tilt past the ground's own horizon the sun does not reach.
    float horizon = smoothstep(-0.05, 0.15, dot(ground.relief, sun.xyz));
    float direct = max(dot(normal, sun.xyz), 0.0) * horizon;
    // Light from the sky above and a little of the ground's own from below.
    float3 ambient = lerp(float3(0.14, 0.12, 0.09), float3(0.27, 0.36, 0.52), 0.5 + 0.5 * normal.y);
    // Weak light from opposite the sun, so that the shade has form.
    float3 opposite = normalize(float3(-sun.x, 0.4, -sun.z));
    ambient += float3(0.20, 0.23, 0.28) * max(dot(normal, opposite), 0.0);
    float3 radiance = float3(3.4, 2.95, 2.35) * direct;
    float3 light = ground.albedo * (radiance + ambient * ground.occlusion);
    // Where all sight is parallel the eye is nowhere; depth grows toward it.
    bool parallel = all(view_projection[3].xyz == 0.0);
    float3 toward_eye = parallel ? normalize(view_projection[2].xyz) : -normalize(fragment.relative);
    if (HAS_LAYERS)
        light += radiance * ground.occlusion * 0.5 * 3.14159265 * microfacets(normal, sun.xyz, toward_eye, ground.roughness);
    float distance = length(fragment.relative);
    float haze = 1.0 - exp(-distance * sun.w);
    return lerp(light, sky.rgb, haze);
}

// A hue a level, blending as λ does.
float3 lambda_colour(float lambda)
{
    float3 phase = lambda * 0.37 + float3(0.0, 0.33, 0.67);
    return 0.5 + 0.45 * cos(6.2831853 * phase);
}

float3 tile_colour(float2 place)
{
    uint2 tile = uint2(tile_of(place.x), tile_of(place.y));
    uint hash = (tile.x * 0x9E3779B1u) ^ (tile.y * 0x85EBCA77u);
    hash = (hash ^ (hash >> 15)) * 0xC2B2AE3Du;
    return 0.25 + 0.6 * float3((hash >> 8) & 255, (hash >> 16) & 255, (hash >> 24) & 255) / 255.0;
}

// Lines along the quads of the level drawn: what wireframe falls back to where a device cannot fill in lines.
float lattice_line(float2 place, float lambda)
{
    // Where nothing morphs λ is a whole number, which interpolation rounds to either side.
    float step = exp2(floor(lambda + 1.0 / 64.0));
    float2 at = place / step;
    // Fine derivatives, so that every device draws the same lines.
    float2 width = max(abs(ddx_fine(at)) + abs(ddy_fine(at)), 1e-6);
    float2 away = abs(frac(at - 0.5) - 0.5) / width;
    // Lines less than a few pixels apart would cover everything.
    float2 drawn = (1.0 - saturate(away)) * (1.0 - smoothstep(0.30, 0.80, width));
    return max(drawn.x, drawn.y);
}

// A colour a layer, far apart from its neighbours' in the list.
float3 layer_colour(uint layer)
{
    float hue = frac(float(layer) * 0.61803399 + 0.30);
    float3 colour = saturate(abs(frac(hue + float3(0.0, 0.6666667, 0.3333333)) * 6.0 - 3.0) - 1.0);
    return lerp(0.15, lerp(float3(1.0, 1.0, 1.0), colour, (layer & 1) == 0 ? 0.85 : 0.5), 0.9);
}

float3 shares_colour(Ground ground)
{
    float3 colour = 0.0;
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
        colour += ground.share[i] * layer_colour(i);
    return colour;
}

float3 dominant_colour(Ground ground)
{
    uint most = 0;
    float share = 0.0;
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
    {
        most = ground.share[i] > share ? i : most;
        share = max(share, ground.share[i]);
    }
    return layer_colour(most);
}

// From blue for none over green to red for eight and more.
float3 count_colour(float count)
{
    float part = saturate(count / 8.0);
    return saturate(float3(2.0 * part - 0.6, 1.4 - abs(2.6 * part - 1.0), 1.0 - 2.2 * part));
}

float3 slope_colour(float slope)
{
    float part = atan(slope) / 1.5707963;
    return saturate(float3(2.0 * part, 1.0 - abs(2.4 * part - 0.8), 0.9 - 2.4 * part));
}

float3 shown_view(Fragment fragment, Ground ground, float3 lit)
{
    if (!HAS_VIEWS)
        return lit;
    float3 relief = 0.35 + 0.65 * saturate(dot(ground.relief, sun.xyz));
    uint mode = tiles.z;
    if (mode == VIEW_LAMBDA)
        return lambda_colour(fragment.level.x) * relief;
    if (mode == VIEW_NORMALS)
        return ground.normal.xzy * float3(0.5, -0.5, 0.5) + 0.5;
    if (mode == VIEW_TILES)
        return tile_colour(fragment.place) * relief;
    if (mode == VIEW_LATTICE)
        return lerp(lit, float3(0.9, 0.95, 1.0), 0.7 * lattice_line(fragment.place, fragment.level.x));
    if (mode == VIEW_WEIGHTS)
        return shares_colour(ground) * relief;
    if (mode == VIEW_DOMINANT)
        return dominant_colour(ground) * relief;
    if (mode == VIEW_LAYERS)
        return count_colour(float(ground.evaluated));
    if (mode == VIEW_SLOPE)
        return slope_colour(ground.slope);
    return lit;
}

float4 main(Fragment fragment) : SV_Target0
{
    // Asked first and acted on last: a discarded fragment still has a part in its neighbours' derivatives.
    bool open = HAS_HOLES && is_hole_at(fragment.place);
    Ground ground = ground_at(fragment, HAS_VIEWS && tiles.z == VIEW_SLOPE);
    float3 lit = shown_view(fragment, ground, shaded(fragment, ground));
    if (open)
        discard;
    return shown(lit);
}
