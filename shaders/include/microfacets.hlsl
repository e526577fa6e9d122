// What shines.
#ifndef LANDFORM_MICROFACETS
#define LANDFORM_MICROFACETS

// Microfacets that shine a little (GGX, Walter et al. 2007; visibility after Lagarde and de Rousiers 2014): what tells wet
// stone from grass. The ground is a dielectric, 0.04 head on. Grazing light it reflects wholly where it is smooth; what is rough shades
// itself there (Lagarde, *Adopting a physically based shading model*, 2011): without that grass before a low lamp is a wet road.
float microfacets(float3 normal, float3 toward_light, float3 toward_eye, float roughness)
{
    float3 half_way = toward_light + toward_eye;
    // Straight against the light there is no half-way.
    half_way *= rsqrt(max(dot(half_way, half_way), 1e-8));
    float alpha = max(roughness * roughness, 0.02);
    float squared = alpha * alpha;
    float facing = saturate(dot(normal, half_way));
    float spread = facing * facing * (squared - 1.0) + 1.0;
    float fresnel = 0.04 + (max(1.0 - roughness, 0.04) - 0.04) * pow(1.0 - saturate(dot(toward_light, half_way)), 5.0);
    float seen = max(dot(normal, toward_eye), 0.05);
    float lit = max(dot(normal, toward_light), 0.05);
    return squared / (3.14159265 * spread * spread) * fresnel * 0.5 / lerp(2.0 * seen * lit, seen + lit, alpha);
}

#endif
