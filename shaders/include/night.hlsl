// What is in the sky at night: the moon's disc and the stars. Twins: Moon and stars in src/light.
#ifndef LANDFORM_NIGHT
#define LANDFORM_NIGHT

#include "light.hlsl"

// Lux of a star of magnitude 6.5, how much brighter the brightest is, and how light goes with rank: see src/light/stars.rs.
static const float STAR_FAINTEST = 6.3803e-9;
static const float STAR_BRIGHTEST = 1584.9;
static const float STAR_SLOPE = -0.83836;
static const float STAR_BEND = 0.27324;

// A pixel's ray of length 1, and by how much it differs a pixel to the side and a pixel on. All are a plane's, not a sphere's: there
// neighbours agree on where a star lies between them.
struct PixelRay
{
    float3 toward;
    float3 side;
    float3 down;
};

PixelRay pixel_ray(float3 ray, float3 side, float3 down)
{
    float scale = rsqrt(max(dot(ray, ray), 1e-30));
    PixelRay pixel;
    pixel.toward = ray * scale;
    pixel.side = side * scale;
    pixel.down = down * scale;
    return pixel;
}

float3 to_celestial(float3 v)
{
    return float3(dot(star_rows[0].xyz, v), dot(star_rows[1].xyz, v), dot(star_rows[2].xyz, v));
}

// How much of the disc a pixel has, from its edge across a pixel. A lit part that ends in an ellipse, as a ball's does, and a rest that
// the earth lights; both even, for the moon has no dark limb.
float4 moon_disc(PixelRay pixel)
{
    float3 off = (pixel.toward - toward_moon.xyz * dot(pixel.toward, toward_moon.xyz)) * toward_moon.w;
    float from_middle = length(off);
    if (dot(pixel.toward, toward_moon.xyz) <= 0.0 || from_middle > 4.0)
        return 0.0;
    // What a pixel is wide, in radii of the disc.
    float wide = toward_moon.w * sqrt(length(cross(pixel.side, pixel.down)));
    float sharp = 1.0 / max(wide, 1e-4);
    float cover = saturate((1.0 - from_middle) * sharp + 0.5);
    float along = dot(off, moon_side.xyz);
    float across = max(from_middle * from_middle - along * along, 0.0);
    // Of the pixel, what lies between the edge and the ellipse.
    float edge = sqrt(max(1.0 - across, 0.0));
    float dark = min(along + 0.5 * wide, -moon_side.w * edge) - max(along - 0.5 * wide, -edge);
    dark = min(saturate(dark * sharp), cover);
    return float4(moon.rgb * (cover - dark + moon.w * dark), cover);
}

uint star_hash(uint value)
{
    uint state = value * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

float star_straight(float bent)
{
    float root = sqrt((1.0 + STAR_BEND) * (1.0 + STAR_BEND) - 4.0 * STAR_BEND * abs(bent));
    return sign(bent) * (1.0 + STAR_BEND - root) / (2.0 * STAR_BEND);
}

float3 star_toward(uint face, float2 place)
{
    float2 at = float2(star_straight(place.x), star_straight(place.y));
    float front = (face & 1) == 0 ? 1.0 : -1.0;
    if ((face >> 1) == 0)
        return normalize(float3(front, at));
    return normalize((face >> 1) == 1 ? float3(at.y, front, at.x) : float3(at, front));
}

float3 star_colour(uint hash)
{
    float warmth = (float(hash & 0xffff) + float(hash >> 16)) / 65535.0 - 1.0;
    float3 end = warmth < 0.0 ? float3(0.87, 0.99, 1.45) : float3(1.25, 0.95, 0.72);
    return 1.0 + (end - 1.0) * abs(warmth);
}

// The part of a star that falls on a pixel so far from it, on one axis: a quadratic B-spline, whose parts add up to 1 over all pixels
// wherever the star lies between them, so that nothing flickers under a camera that moves or jitters.
float star_part(float pixels)
{
    float away = abs(pixels);
    float tail = saturate((1.5 - away) * 0.66666667);
    return away < 0.5 ? 0.75 - away * away : 1.125 * tail * tail;
}

// Luminance that a cell's star gives to a pixel. `pixel` is on the celestial sphere.
float3 star_light(PixelRay pixel, uint face, int2 cell)
{
    if (any(cell < 0) || any(cell >= STAR_CELLS))
        return 0.0;
    uint chance = star_hash((face * STAR_CELLS + uint(cell.y)) * STAR_CELLS + uint(cell.x));
    if (chance >= STAR_CHANCE)
        return 0.0;
    uint hash = star_hash(chance);
    float2 part = (float2(hash & 0xffff, hash >> 16) + 0.5) / 65536.0;
    float2 width = float2(cell.x == 0 || cell.x == STAR_CELLS - 1 ? 0.5 : 1.0, cell.y == 0 || cell.y == STAR_CELLS - 1 ? 0.5 : 1.0);
    float2 first = float2(cell.x == 0 ? 0.5 : 0.0, cell.y == 0 ? 0.5 : 0.0);
    float3 star = star_toward(face, (float2(cell) + first + part * width) * (2.0 / STAR_CELLS) - 1.0);
    // Where it lies on the picture, in pixels from this one.
    float3 plane = cross(pixel.side, pixel.down);
    float far = dot(pixel.toward, plane) / dot(star, plane);
    float3 off = star * far - pixel.toward;
    float3 beside = cross(pixel.down, plane);
    float3 below = cross(plane, pixel.side);
    float2 pixels = float2(dot(off, beside) / dot(pixel.side, beside), dot(off, below) / dot(pixel.down, below));
    float share = star_part(pixels.x) * star_part(pixels.y);
    // The pixel's solid angle there.
    float area = abs(dot(pixel.toward, plane)) / (far * far * far);
    float rank = (float(chance) + 0.5) / float(STAR_CHANCE);
    float lux = STAR_FAINTEST * min(pow(rank, STAR_SLOPE), STAR_BRIGHTEST);
    return share > 0.0 ? star_colour(star_hash(hash)) * (lux * share / area) : 0.0;
}

// The stars that a pixel has a part of: those of the four cells around it. A star is three pixels wide, so pixels may be up to a third
// of a degree; of coarser ones it loses light.
float3 stars(PixelRay pixel)
{
    PixelRay turned;
    turned.toward = to_celestial(pixel.toward);
    turned.side = to_celestial(pixel.side);
    turned.down = to_celestial(pixel.down);
    float3 plane = cross(turned.side, turned.down);
    // A view without perspective looks at one place of the sky.
    if (dot(plane, plane) <= 0.0)
        return 0.0;
    float3 size = abs(turned.toward);
    uint axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    float3 v = turned.toward;
    float3 face = axis == 0 ? v.yzx : (axis == 1 ? v.zxy : v); // across, across, to the front
    float2 at = face.xy / abs(face.z);
    at = at * (1.0 + STAR_BEND - STAR_BEND * abs(at));
    int2 cell = int2(floor((at * 0.5 + 0.5) * STAR_CELLS - 0.5));
    uint number = 2 * axis + (face.z < 0.0 ? 1 : 0);
    float3 light = 0.0;
    [loop] for (int i = 0; i < 4; i++)
        light += star_light(turned, number, cell + int2(i & 1, i >> 1));
    // Through the air, of which there is so much more toward the horizon (Kasten and Young 1989).
    float up = max(pixel.toward.y, 0.0);
    float mass = 1.0 / (up + 0.50572 * pow(degrees(asin(min(up, 1.0))) + 6.07995, -1.6364));
    float3 depth = float3(star_rows[0].w, star_rows[1].w, star_rows[2].w);
    return pixel.toward.y > sin(sky_place.z) ? light * exp(-depth * mass) : 0.0;
}

// What stands in the sky at night, by day outshone: the moon, and behind it the stars.
float3 night_lights(PixelRay pixel)
{
    float4 disc = 0.0;
    if (toward_moon.w > 0.0)
        disc = moon_disc(pixel);
    if (night.w > 0.5)
        disc.rgb += stars(pixel) * (1.0 - disc.a);
    return disc.rgb;
}

#endif
