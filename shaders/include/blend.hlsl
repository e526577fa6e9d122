// How layers blend. Twin: src/splat/blend.rs. SPLAT_SLOTS and SPLAT_HEIGHT are the module's own.
//
// Slots go by fours, a float4 a page, so that nothing here is an array that a number found while drawing indexes.
#ifndef LANDFORM_BLEND
#define LANDFORM_BLEND

static const uint SPLAT_PAGES = SPLAT_SLOTS / 4;

// At or below it a weight counts as none.
static const float PRESENT = 1.0 / 1024.0;
// No number of a blend goes beyond this, so that none is infinite.
static const float LARGE = 1e6;

static const uint MODE_HEIGHT = 1;
static const uint MODE_ALPHA = 2;

struct Blend
{
    uint present;                 // a bit a slot whose layer is there
    float4 share[SPLAT_PAGES];    // in: weights, 0…1; out: shares, 1 together
    float4 contends[SPLAT_PAGES]; // heights that layers contend with: `contending`
};

// What each slot is, 1 or 0.
struct BlendSlots
{
    float4 listed[SPLAT_PAGES]; // there is such a layer
    float4 under[SPLAT_PAGES];  // it shares the whole; the other listed ones lie over those
    float4 first[SPLAT_PAGES];  // it is what ground without weight is made of
};

// A bit a slot whose layer is there.
uint slots_present(float4 share[SPLAT_PAGES])
{
    uint bits = 0;
    [unroll] for (uint i = 0; i < SPLAT_PAGES; i++)
    {
        uint4 bit = share[i] > PRESENT ? uint4(1, 2, 4, 8) : uint4(0, 0, 0, 0);
        bits |= (bit.x | bit.y | bit.z | bit.w) << (4 * i);
    }
    return bits;
}

bool is_page_present(uint present, uint page)
{
    return (present >> (4 * page) & 15) != 0;
}

float sum_of(float4 part)
{
    return dot(part, float4(1.0, 1.0, 1.0, 1.0));
}

// The height that a layer contends with, of its blend height and its own contrast.
float contending(float height, float contrast, float4 set)
{
    float scale = clamp(set.z, 0.001, LARGE) * clamp(contrast, 0.0, LARGE);
    // What is no height is the middle.
    height = abs(height) < 1e30 ? clamp(height, 0.0, 1.0) : 0.5;
    return clamp((height - 0.5) * scale + 0.5 + clamp(set.w, -LARGE, LARGE), 0.0, 1.0);
}

// Weights to those that count. Ground without any is all of the first layer.
void settle_weights(inout Blend blend, BlendSlots slots)
{
    float sum = 0.0;
    [unroll] for (uint i = 0; i < SPLAT_PAGES; i++)
    {
        blend.share[i] = (blend.share[i] > PRESENT ? min(blend.share[i], 1.0) : 0.0) * slots.listed[i];
        sum += sum_of(blend.share[i] * slots.under[i]);
    }
    [unroll] for (uint j = 0; j < SPLAT_PAGES; j++)
        blend.share[j] = sum > 0.0 ? blend.share[j] : max(blend.share[j], slots.first[j]);
    blend.present = slots_present(blend.share);
}

// Two passes: how much a layer shows is not known until the highest is.
void raise_by_height(inout Blend blend, BlendSlots slots, float4 set)
{
    float steep = clamp(set.y, 0.001, LARGE) * clamp(set.x, 0.0, 1.0);
    float top = 0.0;
    [unroll] for (uint i = 0; i < SPLAT_PAGES; i++)
    {
        [branch] if (is_page_present(blend.present, i))
        {
            // A height counts in full from a small weight on and fades below it: a layer that ends leaves no line.
            float4 stands = blend.contends[i] * min(blend.share[i] * slots.under[i] * 32.0, 1.0);
            float2 pair = max(stands.xy, stands.zw);
            top = max(top, max(pair.x, pair.y));
        }
    }
    [unroll] for (uint j = 0; j < SPLAT_PAGES; j++)
    {
        [branch] if (is_page_present(blend.present, j))
        {
            float4 kept = max(exp2(min(blend.contends[j] - top, 0.0) * steep), 0.02);
            blend.share[j] = slots.under[j] > 0.0 ? blend.share[j] * kept : blend.share[j];
        }
    }
}

// Lays what is over others over them, the last of the list on top.
void lay_over(inout Blend blend, BlendSlots slots)
{
    float open = 1.0;
    [unroll] for (uint i = 0; i < SPLAT_SLOTS; i++)
    {
        uint page = SPLAT_PAGES - 1 - i / 4;
        uint part = 3 - i % 4;
        float cover = slots.under[page][part] > 0.0 ? 0.0 : blend.share[page][part];
        blend.share[page][part] *= slots.under[page][part] > 0.0 ? 1.0 : open;
        open *= 1.0 - cover;
    }
    [unroll] for (uint j = 0; j < SPLAT_PAGES; j++)
        blend.share[j] *= slots.under[j] > 0.0 ? open : 1.0;
}

// Settled weights to shares that are 1 together.
void share_out(inout Blend blend, BlendSlots slots, float4 set)
{
#if SPLAT_HEIGHT
    [branch] if (set.x > 0.0)
        raise_by_height(blend, slots, set);
#endif
    float under = 0.0;
    float over = 0.0;
    [unroll] for (uint i = 0; i < SPLAT_PAGES; i++)
    {
        under += sum_of(blend.share[i] * slots.under[i]);
        over += sum_of(blend.share[i] * (1.0 - slots.under[i]));
    }
    float scale = 1.0 / max(under, 1e-6);
    [unroll] for (uint j = 0; j < SPLAT_PAGES; j++)
        blend.share[j] *= slots.under[j] > 0.0 ? scale : 1.0;
    [branch] if (over > 0.0)
        lay_over(blend, slots);
}

#endif
