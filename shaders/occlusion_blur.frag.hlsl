// Makes a plane of occlusion of what single pixels found: the mean of those around that lie on the same ground. A pattern of four by
// four repeats in the noise, and five by five of which the outermost count half hold each part of it once.
#include "occlusion.hlsl"

[[vk::binding(BINDING_INPUT_OCCLUSION, SET)]] Texture2D<float4> found_plane;

// How much the ground of another pixel counts for this one's: that of another slope sees another sky, and what lies off the plane of
// either is another thing. A pixel's own width and some roughness are none.
float likeness(Ground ground, Ground other)
{
    float3 away = other.place - ground.place;
    float metres = length(away);
    float off_plane = max(abs(dot(away, ground.normal)), abs(dot(away, other.normal)));
    float width = max(length(ground.across), length(ground.down));
    float same_plane = saturate(2.0 - off_plane / (2.0 * width + 0.25 * metres));
    float facing = saturate(dot(ground.normal, other.normal));
    float near = saturate(2.0 - metres / max(0.5 * search.x, 4.0 * width));
    return same_plane * facing * facing * facing * facing * near;
}

float4 main(float4 position : SV_Position) : SV_Target0
{
    int2 pixel = int2(position.xy);
    Ground ground;
    if (!ground_at(pixel, ground))
        return float4(1.0, 0.5, 0.5, 0.5);
    float4 light = float4(1.0, ground.normal);
    if (search.y > 0.0)
    {
        float weights = 0.0;
        light = 0.0;
        [loop] for (int y = -2; y <= 2; y++)
            [loop] for (int x = -2; x <= 2; x++)
            {
                int2 at = pixel + int2(x, y);
                Ground other;
                if (!is_seen(at) || !ground_at(at, other))
                    continue;
                float weight = (abs(x) == 2 ? 0.5 : 1.0) * (abs(y) == 2 ? 0.5 : 1.0) * likeness(ground, other);
                light += weight * found_plane.Load(int3(at, 0));
                weights += weight;
            }
        light /= weights;
    }
    // Where nothing comes from anywhere, as good as any direction is the ground's own.
    float3 from = light.yzw + 1e-3 * ground.normal;
    from *= rsqrt(max(dot(from, from), 1e-12));
    return float4(saturate(light.x), from * 0.5 + 0.5);
}
