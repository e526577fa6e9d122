// How layers blend. Twin: src/splat/blend.rs. SPLAT_SLOTS and SPLAT_HEIGHT are the module's own.
#ifndef LANDFORM_BLEND
#define LANDFORM_BLEND

// At or below it a weight counts as none.
static const float PRESENT = 1.0 / 1024.0;
// No number of a blend goes beyond this, so that none is infinite.
static const float LARGE = 1e6;

static const uint MODE_WEIGHT = 0;
static const uint MODE_HEIGHT = 1;
static const uint MODE_ALPHA = 2;

struct Blend
{
    uint count;                // layers; slots past them are nothing
    float share[SPLAT_SLOTS];  // in: weights, 0…1; out: shares, 1 together
    float height[SPLAT_SLOTS]; // blend heights, 0…1
    float contrast[SPLAT_SLOTS];
    uint mode[SPLAT_SLOTS];
};

bool is_over(Blend blend, uint slot)
{
    return blend.mode[slot] == MODE_ALPHA;
}

#if SPLAT_HEIGHT
float contending(Blend blend, uint slot, float contrast, float bias)
{
    float height = blend.height[slot];
    bool middle = blend.mode[slot] != MODE_HEIGHT || !(abs(height) < 1e30);
    height = middle ? 0.5 : clamp(height, 0.0, 1.0);
    return clamp((height - 0.5) * (contrast * clamp(blend.contrast[slot], 0.0, LARGE)) + 0.5 + bias, 0.0, 1.0);
}

// Two passes: how much a layer shows is not known until the highest is.
void raise_by_height(inout Blend blend, float4 set)
{
    float strength = clamp(set.x, 0.0, 1.0);
    float sharpness = clamp(set.y, 0.001, LARGE);
    float contrast = clamp(set.z, 0.001, LARGE);
    float bias = clamp(set.w, -LARGE, LARGE);
    if (strength <= 0.0)
        return;
    float top = 0.0;
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
    {
        // A height counts in full from a small weight on and fades below it: a layer that ends leaves no line.
        if (!is_over(blend, i) && blend.share[i] > 0.0)
            top = max(top, contending(blend, i, contrast, bias) * min(blend.share[i] * 32.0, 1.0));
    }
    [unroll] for (uint j = 0; j < SPLAT_SLOTS; j++)
    {
        if (!is_over(blend, j) && blend.share[j] > 0.0)
        {
            float below = min(contending(blend, j, contrast, bias) - top, 0.0);
            float kept = exp2(below * (sharpness * strength));
            blend.share[j] = max(blend.share[j] * kept, blend.share[j] * 0.02);
        }
    }
}
#endif

// Lays what is over others over them, the last of the list on top.
void lay_over(inout Blend blend)
{
    float under = 1.0;
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
    {
        uint slot = SPLAT_SLOTS - 1 - i;
        if (is_over(blend, slot))
        {
            float cover = blend.share[slot];
            blend.share[slot] = cover * under;
            under *= 1.0 - cover;
        }
    }
    [unroll] for (uint j = 0; j < SPLAT_SLOTS; j++)
        if (!is_over(blend, j))
            blend.share[j] *= under;
}

// Weights to shares that are 1 together.
void blend_layers(inout Blend blend, float4 set)
{
    float sum = 0.0;
    float over = 0.0;
    uint first = SPLAT_SLOTS;
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
    {
        float share = blend.share[i] > PRESENT ? min(blend.share[i], 1.0) : 0.0;
        blend.share[i] = i < blend.count ? share : 0.0;
        if (is_over(blend, i))
            over = max(over, blend.share[i]);
        else
        {
            sum += blend.share[i];
            first = i < blend.count ? min(first, i) : first;
        }
    }
    // Ground without weight is the first layer's that is not over others, or, where all are, the first of all.
    uint whole = sum > 0.0 ? SPLAT_SLOTS : (first < SPLAT_SLOTS ? first : (over > 0.0 ? SPLAT_SLOTS : 0));
    [unroll] for (uint j = 0; j < SPLAT_SLOTS; j++)
        blend.share[j] = j == whole ? 1.0 : blend.share[j];
#if SPLAT_HEIGHT
    raise_by_height(blend, set);
#endif
    float base = 0.0;
    [unroll] for (uint k = 0; k < SPLAT_SLOTS; k++)
        base += is_over(blend, k) ? 0.0 : blend.share[k];
    float scale = 1.0 / max(base, 1e-6);
    [unroll] for (uint m = 0; m < SPLAT_SLOTS; m++)
        blend.share[m] *= is_over(blend, m) ? 1.0 : scale;
    lay_over(blend);
    if (first < SPLAT_SLOTS)
        return;
    // Nothing lies under the layers that are over the others: what they cover is all there is.
    float covered = 0.0;
    [unroll] for (uint n = 0; n < SPLAT_SLOTS; n++)
        covered += blend.share[n];
    [unroll] for (uint p = 0; p < SPLAT_SLOTS; p++)
        blend.share[p] /= max(covered, 1e-6);
}

#endif
