// What the two passes of ambient occlusion share: where a pixel's ground is, and how far it is searched.
#ifndef LANDFORM_OCCLUSION
#define LANDFORM_OCCLUSION

[[vk::binding(BINDING_INPUT, SET)]] Texture2D<float> depth_plane;
[[vk::binding(BINDING_INPUT_NORMALS, SET)]] Texture2D<float4> normal_plane;

[[vk::push_constant]] cbuffer OcclusionConstants
{
    column_major float4x4 ray_from_clip; // clip space -> a place, metres from the camera
    float4 clip_from_pixel;              // clip units a pixel, across and down; where pixel 0 is
    float4 seen_part;                    // the view's part of the target in pixels: from, to
    float4 search;                       // radius in metres; directions, 0 for none; pixels that are searched at most; 0
};

// A pixel's ground.
struct Ground
{
    float3 place;  // metres from the camera
    float3 normal; // unit
    float3 across; // metres a pixel to the right and down, as seen from the camera: straight across the line of sight
    float3 down;
    float3 toward_eye;
};

float2 clip_of(float2 pixel)
{
    return pixel * clip_from_pixel.xy + clip_from_pixel.zw;
}

// Of the middle of a pixel.
float3 place_at(int2 pixel, float depth)
{
    float4 place = mul(ray_from_clip, float4(clip_of(float2(pixel) + 0.5), depth, 1.0));
    return place.xyz / place.w;
}

bool is_seen(int2 pixel)
{
    return all(float2(pixel) >= seen_part.xy - 0.5) && all(float2(pixel) < seen_part.zw - 0.5);
}

// False for the sky.
bool ground_at(int2 pixel, out Ground ground)
{
    ground = (Ground)0;
    float depth = depth_plane.Load(int3(pixel, 0));
    float3 normal = normal_plane.Load(int3(pixel, 0)).xyz;
    float length_squared = dot(normal, normal);
    if (depth <= 0.0 || length_squared < 0.25)
        return false;
    float4 at = mul(ray_from_clip, float4(clip_of(float2(pixel) + 0.5), depth, 1.0));
    // Two points along the ray: from one alone only a perspective camera would know where it goes.
    float4 nearer = mul(ray_from_clip, float4(clip_of(float2(pixel) + 0.5), 1.0, 1.0));
    float4 beyond = mul(ray_from_clip, float4(clip_of(float2(pixel) + 0.5), 0.5, 1.0));
    ground.place = at.xyz / at.w;
    ground.normal = normal * rsqrt(length_squared);
    ground.toward_eye = normalize(nearer.xyz / nearer.w - beyond.xyz / beyond.w);
    // How the place moves with the pixel at this depth: the derivative of a quotient.
    float4 along_x = mul(ray_from_clip, float4(clip_from_pixel.x, 0.0, 0.0, 0.0));
    float4 along_y = mul(ray_from_clip, float4(0.0, clip_from_pixel.y, 0.0, 0.0));
    float3 right = (along_x.xyz - ground.place * along_x.w) / at.w;
    float3 under = (along_y.xyz - ground.place * along_y.w) / at.w;
    ground.across = right - ground.toward_eye * dot(right, ground.toward_eye);
    ground.down = under - ground.toward_eye * dot(under, ground.toward_eye);
    return true;
}

// How much of what stands so many metres away is counted: all of what is near, and nothing at the radius.
float counted(float metres, float radius)
{
    return saturate((radius - metres) / (0.6 * radius));
}

#endif
