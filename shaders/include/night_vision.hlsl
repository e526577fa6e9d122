// What an eye makes of colours in the dark. Twin: none; tests/device/tests/night.rs looks at pictures.
#ifndef LANDFORM_NIGHT_VISION
#define LANDFORM_NIGHT_VISION

// cd/m² below which rods see alone, and the decades over which cones take over (Larson, Rushmeier and Piatko, *A Visibility Matching
// Tone Reproduction Operator for High Dynamic Range Scenes*, 1997).
static const float RODS_ALONE = 0.0056;
static const float DECADES = 3.0;

// What rods see has no colour, is brighter of blue light than of red, and looks bluish (Jensen et al., *Night Rendering*, 2000, with
// half of their blue). Of luminance 1.
static const float3 BLUISH = float3(0.80, 1.01, 1.49);

// `adapted` is the luminance in cd/m² that the picture is exposed for. What is brighter than that by itself, such as a lamp's light,
// keeps its colour; above 5.6 cd/m² everything does.
float3 seen_at_night(float3 light, float adapted)
{
    if (adapted >= RODS_ALONE * 1000.0)
        return light;
    float3 xyz = float3(dot(light, float3(0.4124, 0.3576, 0.1805)), dot(light, float3(0.2126, 0.7152, 0.0722)),
        dot(light, float3(0.0193, 0.1192, 0.9505)));
    float cones = saturate(log10(max(max(adapted, xyz.y), 1e-9) / RODS_ALONE) / DECADES);
    // What rods see of it, 1 for 1 of white.
    float rods = max(xyz.y * (1.33 * (1.0 + (xyz.y + xyz.z) / max(xyz.x, 1e-9)) - 1.68), 0.0) / 2.573;
    return lerp(rods * BLUISH, light, cones);
}

#endif
