// The preview's sky: pale at the horizon, where the haze fades to the same colour, deeper above, bright at the sun.
[[vk::constant_id(1)]] const bool ENCODE_SRGB = false;

[[vk::push_constant]] cbuffer SkyConstants
{
    column_major float4x4 ray_from_clip; // clip space at the near plane -> a point along the ray, terrain frame
    float4 sun;                          // unit vector toward the sun, 0
    float4 horizon;                      // linear RGB, 0
};

float3 encode(float3 linear_rgb)
{
    float3 low = linear_rgb * 12.92;
    float3 high = 1.055 * pow(max(linear_rgb, 0.0031308), 1.0 / 2.4) - 0.055;
    return lerp(high, low, step(linear_rgb, 0.0031308));
}

float4 main(float4 position : SV_Position, float2 clip : CLIP) : SV_Target0
{
    float4 ray = mul(ray_from_clip, float4(clip, 1.0, 1.0));
    float3 direction = normalize(ray.xyz);
    float up = saturate(direction.y);
    float3 zenith = float3(0.10, 0.24, 0.56);
    float3 colour = lerp(horizon.rgb, zenith, 1.0 - pow(1.0 - up, 3.0));
    float toward = saturate(dot(direction, sun.xyz));
    colour += float3(1.0, 0.85, 0.6) * (0.25 * pow(toward, 24.0) + 0.9 * pow(toward, 900.0));
    colour = colour / (1.0 + max(max(colour.r, max(colour.g, colour.b)) - 0.8, 0.0));
    return float4(ENCODE_SRGB ? encode(colour) : colour, 1.0);
}
