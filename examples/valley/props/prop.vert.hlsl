// A thing that stands on the ground. A vertex is its number in a list and its instance: no stage has an input of a vertex buffer.

[[vk::binding(0, 0)]] StructuredBuffer<float4> vertices;  // place and kind; normal and spare
[[vk::binding(1, 0)]] StructuredBuffer<float4> instances; // place from the camera and scale; turn; albedo and luminance of lamp glass

[[vk::push_constant]] cbuffer Pass
{
    column_major float4x4 clip_from_relative; // metres from the camera -> clip space, without jitter
    float4 last_rows[3];  // metres from the camera -> x, y and w of the last frame's clip space, without jitter
    float2 jitter;        // clip space, a unit of w
    float2 motion_scale;  // clip space -> parts of the viewport, right and down
};

struct Vertex
{
    precise float4 position : SV_Position;
    float3 relative : RELATIVE; // metres from the camera
    float3 normal : NORMAL;     // world
    float3 own : OWN;           // metres from the thing's middle, in its own axes
    float4 tint : TINT;
    float4 turn : TURN;
    float kind : KIND;
    precise float4 now : NOW;   // clip space, without depth
    precise float4 last : LAST;
};

float3 turned(float4 turn, float3 v)
{
    return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v);
}

Vertex main(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    float4 place = vertices[2 * vertex];
    float4 stands = instances[3 * instance];
    float4 turn = instances[3 * instance + 1];
    Vertex output;
    output.own = place.xyz * stands.w;
    output.relative = stands.xyz + turned(turn, output.own);
    output.normal = turned(turn, vertices[2 * vertex + 1].xyz);
    output.tint = instances[3 * instance + 2];
    output.turn = turn;
    output.kind = place.w;
    precise float4 clip = mul(clip_from_relative, float4(output.relative, 1.0));
    precise float4 relative = float4(output.relative, 1.0);
    output.now = float4(clip.xy, 0.0, clip.w);
    output.last = float4(dot(last_rows[0], relative), dot(last_rows[1], relative), 0.0, dot(last_rows[2], relative));
    // What stands before a cascade's near plane casts all the same.
    output.position = float4(clip.xy + jitter * clip.w, min(clip.z, clip.w), clip.w);
    return output;
}
