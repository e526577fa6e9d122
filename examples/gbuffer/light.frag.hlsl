// The engine's deferred light: one sun, the sky, and air. It knows its planes and nothing of terrain.
[[vk::binding(0, 0)]] cbuffer Light
{
    float4 right;   // the camera's, in the world, as long as the picture's edge is to the right
    float4 up;      // the same upward
    float4 forward; // unit; the near plane's distance
    float4 sun;     // unit vector toward it; air a metre at the height of `air.x`
    float4 air;     // height of the thickest air, metres in which it thins, the camera's height, 0
};
[[vk::binding(1, 0)]] Texture2D<float4> albedo_plane;
[[vk::binding(2, 0)]] Texture2D<float2> normal_plane;
[[vk::binding(3, 0)]] Texture2D<float2> rough_plane;
[[vk::binding(4, 0)]] Texture2D<float> height_plane;
[[vk::binding(5, 0)]] Texture2D<float> depth_plane;

static const float PI = 3.14159265;

float3 from_octahedral(float2 turned)
{
    float3 normal = float3(turned.x, 1.0 - abs(turned.x) - abs(turned.y), turned.y);
    float under = saturate(-normal.y);
    normal.x += normal.x < 0.0 ? under : -under;
    normal.z += normal.z < 0.0 ? under : -under;
    return normalize(normal);
}

float3 sky_toward(float3 direction)
{
    float rise = saturate(direction.y);
    float3 sky = lerp(float3(0.44, 0.56, 0.74), float3(0.07, 0.17, 0.44), pow(rise, 0.5));
    float glow = pow(saturate(dot(direction, sun.xyz)), 24.0);
    return sky + glow * float3(0.55, 0.40, 0.22);
}

// GGX (Walter et al. 2007) with the visibility of Hammon 2017.
float shine(float3 normal, float3 toward_eye, float roughness)
{
    float3 half_way = normalize(sun.xyz + toward_eye);
    float alpha = max(roughness * roughness, 0.02);
    float facing = saturate(dot(normal, half_way));
    float spread = facing * facing * (alpha * alpha - 1.0) + 1.0;
    float lit = saturate(dot(normal, sun.xyz));
    float seen = max(dot(normal, toward_eye), 0.05);
    float fresnel = 0.04 + 0.96 * pow(1.0 - saturate(dot(half_way, toward_eye)), 5.0);
    float visible = 0.5 / max(lerp(2.0 * lit * seen, lit + seen, alpha), 1e-3);
    return alpha * alpha / (PI * spread * spread) * visible * fresnel * lit;
}

// Narkowicz, ACES Filmic Tone Mapping Curve, 2016.
float3 tonemapped(float3 light)
{
    return saturate(light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14));
}

float4 main(float4 position : SV_Position, float2 across : ACROSS) : SV_Target0
{
    int3 pixel = int3(position.xy, 0);
    float depth = depth_plane.Load(pixel);
    float3 ray = forward.xyz + across.x * right.xyz + across.y * up.xyz;
    float3 direction = normalize(ray);
    if (depth == 0.0)
        return float4(tonemapped(sky_toward(direction)), 1.0);
    float4 albedo = albedo_plane.Load(pixel);
    float2 rough = rough_plane.Load(pixel);
    float3 normal = from_octahedral(normal_plane.Load(pixel));
    // Reverse depth without a far plane.
    float distance = forward.w / depth * length(ray);

    float3 sunlight = float3(3.6, 3.1, 2.5);
    float3 above = float3(0.20, 0.30, 0.47);
    float3 below = float3(0.10, 0.08, 0.06);
    float3 light = albedo.rgb * sunlight * saturate(dot(normal, sun.xyz));
    light += sunlight * PI * shine(normal, -direction, rough.x) * albedo.a;
    light += albedo.rgb * lerp(below, above, 0.5 + 0.5 * normal.y) * albedo.a;
    // Air that thins upward, between the heights of the camera and of the ground.
    float middle = 0.5 * (height_plane.Load(pixel) + air.z);
    float thick = exp(-max(middle - air.x, 0.0) / air.y);
    float haze = 1.0 - exp(-distance * sun.w * thick);
    float3 toward_horizon = normalize(float3(direction.x, 0.05, direction.z));
    return float4(tonemapped(lerp(light, sky_toward(toward_horizon), haze)), 1.0);
}
