// The textures of the layer in slot SLOT. Included once a slot by layer_textures.hlsl, so it has no guard.

#define NAME_OF(name, slot) name##slot
#define NAMED(name, slot) NAME_OF(name, slot)
#define THIS(name) NAMED(name, SLOT)

// Adds one lookup of the layer to what a fragment is made of.
void THIS(add_lookup)(inout LayerSample sum, LayerPlace place, uint index, float share)
{
    Lookup lookup = lookup_of(layers[SLOT], place, index);
    float part = share * lookup.share;
    float4 tint = layers[SLOT].tint;
    float4 albedo = layer_albedo[SLOT].SampleGrad(layer_sampler, lookup.at, lookup.dx, lookup.dy);
    float4 surface = layer_surface[SLOT].SampleGrad(layer_sampler, lookup.at, lookup.dx, lookup.dy);
    float4 normal = layer_normal[SLOT].SampleGrad(layer_sampler, lookup.at, lookup.dx, lookup.dy);
    sum.albedo += albedo.rgb * tint.rgb * part;
    sum.surface += surface.rg * part;
    sum.gradient += gradient_of(normal.rg, lookup.side, tint.w) * part;
    sum.share += part;
}

#if SPLAT_HEIGHT
// One lookup of the layer's blend height, and how much of the layer it is.
float2 THIS(height_lookup)(LayerPlace place, uint index)
{
    Lookup lookup = lookup_of(layers[SLOT], place, index);
    float4 surface = layer_surface[SLOT].SampleGrad(layer_sampler, lookup.at, lookup.dx, lookup.dy);
    return float2(surface.a, 1.0) * lookup.share;
}
#endif

#undef THIS
#undef NAMED
#undef NAME_OF
