// From a histogram to an exposure value that follows it: the second half of a meter, one group of a thread a bin.
#include "exposure.hlsl"

// The exposure value of this frame, which the tonemap reads.
[[vk::binding(BINDING_EXPOSURE_VALUE, SET)]] RWTexture2D<float> exposed_for;
// The same for the host, a frame in flight each.
[[vk::binding(BINDING_EXPOSURE_FOUND, SET)]] RWStructuredBuffer<float> found;

// What of the picture is metered, of those samples that were counted and from the darkest up. The darker two fifths are shade and
// woods, which are to be seen dark; the brightest twentieth is the sun, the sky around it, what shines of it, and lamps: they may burn out.
static const float DARKEST_KEPT = 0.4;
static const float BRIGHTEST_KEPT = 0.95;

// log2 of 1.2 · 0.25: what a mean of that part is exposed to. Where log2 luminance spreads over 2 to 3 values, as it does over ground in
// the sun, the part's mean lies half a value above that of the whole, which is then exposed to a grey card's 0.18.
static const float KEPT_GREY = -1.7370;

// What a sunny day is exposed for, 15 less 0.6: see SceneLight::ev100, of which this is the same line on a grey card.
static const float SUNNY_DAY = 14.4;

static const uint KNOWS_NOTHING = 0; // as the buffer is cleared
static const uint FOLLOWS = 1;
static const uint WAITS = 2; // there is a value, and the next that is metered is taken at once

groupshared float shared_sums[EXPOSURE_BINS];

// The sum of what came before a thread and of its own.
float running_sum(uint bin, float own)
{
    shared_sums[bin] = own;
    GroupMemoryBarrierWithGroupSync();
    for (uint reach = 1; reach < EXPOSURE_BINS; reach *= 2)
    {
        float before = bin >= reach ? shared_sums[bin - reach] : 0.0;
        GroupMemoryBarrierWithGroupSync();
        shared_sums[bin] += before;
        GroupMemoryBarrierWithGroupSync();
    }
    return shared_sums[bin];
}

// What all threads gave it.
float whole_sum(uint bin, float own)
{
    GroupMemoryBarrierWithGroupSync();
    running_sum(bin, own);
    return shared_sums[EXPOSURE_BINS - 1];
}

// What a mean of log2 luminance is exposed for (Lagarde and de Rousiers, *Moving Frostbite to Physically Based Rendering*, 2014): below a
// sunny day the light is followed in part.
float exposure_of(float mean)
{
    float whole = mean - KEPT_GREY;
    float followed = SUNNY_DAY + bounds.w * (whole - SUNNY_DAY);
    return clamp((whole < SUNNY_DAY ? followed : whole) + bounds.z, bounds.x, bounds.y);
}

[numthreads(EXPOSURE_BINS, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    uint bin = thread.x;
    float count = float(words[bin]);
    float parts = float(words[EXPOSURE_BINS + bin]);
    // The next frame counts from 0.
    words[bin] = 0;
    words[EXPOSURE_BINS + bin] = 0;

    float end = running_sum(bin, count);
    float total = shared_sums[EXPOSURE_BINS - 1];
    // A bin that a limit lies in counts with its part on the inner side: nothing jumps when luminance moves on by a bin.
    float kept = min(end, BRIGHTEST_KEPT * total) - max(end - count, DARKEST_KEPT * total);
    float share = total > 0.0 ? max(kept, 0.0) / ((BRIGHTEST_KEPT - DARKEST_KEPT) * total) : 0.0;
    float place = count > 0.0 ? float(bin) + parts / (PARTS * count) : 0.0;
    float mean = DARKEST_BIN + whole_sum(bin, share * place) / BINS_A_VALUE;

    if (bin > 0)
        return;
    uint state = words[WORD_STATE];
    float last = state == KNOWS_NOTHING ? clamp(pace.z, bounds.x, bounds.y) : asfloat(words[WORD_EV100]);
    bool follows = state == FOLLOWS && pace.w == 0.0;
    float ev100 = last;
    if (total > 0.0)
    {
        float wanted = exposure_of(mean);
        ev100 = follows ? last + clamp(wanted - last, -pace.y, pace.x) : wanted;
    }
    words[WORD_EV100] = asuint(ev100);
    words[WORD_STATE] = total > 0.0 || follows ? FOLLOWS : WAITS;
    exposed_for[uint2(0, 0)] = ev100;
    found[sampled.w] = ev100;
}
