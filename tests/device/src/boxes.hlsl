// Boxes of a host's: what stands where, pulled by vertex and instance.
struct Box
{
    float4 centre;    // metres from the camera; perceptual roughness
    float4 half_size; // metres; 0
    float4 last;      // metres from the last frame's camera; 0
    float4 albedo;    // linear RGB; 1
};

[[vk::binding(0, 0)]] cbuffer BoxView
{
    column_major float4x4 view_projection;
    column_major float4x4 unjittered;
    column_major float4x4 last_unjittered;
    float4 motion_scale;
};
[[vk::binding(1, 0)]] StructuredBuffer<Box> boxes;

struct Corner
{
    precise float4 position : SV_Position;
#if LIT
    float3 relative : RELATIVE;
    float3 normal : NORMAL;
    float4 albedo : ALBEDO; // and roughness
#endif
#if MOTION
    precise float4 now : NOW;
    precise float4 last : LAST;
#endif
};
