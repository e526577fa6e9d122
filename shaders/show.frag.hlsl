// A look at a target of the frame, whatever it holds.
#include "output.hlsl"

[[vk::binding(BINDING_INPUT, SET)]] Texture2D<float4> shown_plane;

[[vk::push_constant]] cbuffer ShowConstants
{
    float4 shown_as; // what it holds, what it is multiplied with, its texels a pixel across and down
};

static const uint HOLDS_LUMINANCE = 0;
static const uint HOLDS_COLOUR = 1;
static const uint HOLDS_SIGNED = 2;
static const uint HOLDS_MOTION = 3;
static const uint HOLDS_DEPTH = 4;
static const uint HOLDS_ONE = 5;

float4 main(float4 position : SV_Position) : SV_Target0
{
    float4 texel = shown_plane.Load(int3(position.xy * shown_as.zw, 0)) * shown_as.y;
    uint holds = uint(shown_as.x);
    float3 colour = texel.rgb;
    if (holds == HOLDS_LUMINANCE)
        colour = texel.rgb / (1.0 + texel.rgb);
    if (holds == HOLDS_SIGNED)
        colour = dot(texel.xyz, texel.xyz) > 0.0 ? 0.5 + 0.5 * texel.xyz : 0.0;
    if (holds == HOLDS_MOTION)
        colour = float3(0.5 + texel.xy, 0.5);
    // Reverse depth is far from even: most of a picture is near 0.
    if (holds == HOLDS_DEPTH)
        colour = pow(saturate(texel.r), 0.25);
    if (holds == HOLDS_ONE)
        colour = texel.r;
    colour = saturate(colour);
    return float4(ENCODE_SRGB ? encode(colour) : colour, 1.0);
}
