/* syncscope_driver.h: a driver for `syncscope ... --lowering exec:./mydriver`. C99 or C++11, no library.
 *
 * A driver is four functions and one line:
 *
 *     static void barrier(SsStream *stream, const SsBarrierCall *call) { ... ss_write(stream, &packet); }
 *     SYNCSCOPE_DRIVER(NULL, barrier, NULL, NULL, 0, 0)
 *
 * The line makes `main`, which reads the machine and the programs and writes the packets. Each function may be NULL:
 *
 *   begin    an ExecuteCommandLists scope starts: a packet that it writes comes before all work of the scope
 *   barrier  a barrier call: a packet that it writes is for this call
 *   work     a command that works: a packet that it writes comes right before the command
 *   end      the scope ends: a packet that it writes comes after all work of the scope
 *
 * What a driver remembers is in `stream->state`, STATE_BYTES that are zero at the start of each scope. Nothing else may be
 * remembered: programs come in any order, in several processes, and more than once.
 *
 * Include <vulkan/vulkan.h> before this file to get its VkDependencyInfo; else this file declares the same structures.
 * The book's page "A driver in C" has the protocol. */
#ifndef SYNCSCOPE_DRIVER_H
#define SYNCSCOPE_DRIVER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values of D3D12's headers ---- */

enum {
    SS_SYNC_INDEX_INPUT = 0x4, SS_SYNC_VERTEX_SHADING = 0x8, SS_SYNC_PIXEL_SHADING = 0x10, SS_SYNC_DEPTH_STENCIL = 0x20,
    SS_SYNC_RENDER_TARGET = 0x40, SS_SYNC_COMPUTE_SHADING = 0x80, SS_SYNC_RAYTRACING = 0x100, SS_SYNC_COPY = 0x200,
    SS_SYNC_RESOLVE = 0x400, SS_SYNC_EXECUTE_INDIRECT = 0x800
};
/* Every stage. In a packet it is written as `ALL`. */
#define SS_SYNC_EVERY 0xffffffffu
/* As `hold` of a packet: what the barrier asks for; of a packet of nobody, every stage. */
#define SS_HOLD_ASKED 0xfffffffeu

enum {
    SS_ACCESS_VERTEX_BUFFER = 0x1, SS_ACCESS_CONSTANT_BUFFER = 0x2, SS_ACCESS_INDEX_BUFFER = 0x4, SS_ACCESS_RENDER_TARGET = 0x8,
    SS_ACCESS_UNORDERED_ACCESS = 0x10, SS_ACCESS_DEPTH_STENCIL_WRITE = 0x20, SS_ACCESS_DEPTH_STENCIL_READ = 0x40,
    SS_ACCESS_SHADER_RESOURCE = 0x80, SS_ACCESS_STREAM_OUTPUT = 0x100, SS_ACCESS_INDIRECT_ARGUMENT = 0x200,
    SS_ACCESS_COPY_DEST = 0x400, SS_ACCESS_COPY_SOURCE = 0x800, SS_ACCESS_RESOLVE_DEST = 0x1000,
    SS_ACCESS_RESOLVE_SOURCE = 0x2000, SS_ACCESS_RAYTRACING_READ = 0x4000, SS_ACCESS_RAYTRACING_WRITE = 0x8000,
    SS_ACCESS_SHADING_RATE_SOURCE = 0x10000
};

/* ---- Vulkan's structures, where <vulkan/vulkan.h> was not included ---- */

#ifndef VK_VERSION_1_3
typedef uint64_t VkFlags64;
typedef uint32_t VkFlags;
typedef struct VkBuffer_T *VkBuffer;
typedef struct VkImage_T *VkImage;
typedef int32_t VkStructureType;
typedef int32_t VkImageLayout;
typedef struct VkImageSubresourceRange {
    VkFlags aspectMask; uint32_t baseMipLevel, levelCount, baseArrayLayer, layerCount;
} VkImageSubresourceRange;
typedef struct VkMemoryBarrier2 {
    VkStructureType sType; const void *pNext;
    VkFlags64 srcStageMask, srcAccessMask, dstStageMask, dstAccessMask;
} VkMemoryBarrier2;
typedef struct VkBufferMemoryBarrier2 {
    VkStructureType sType; const void *pNext;
    VkFlags64 srcStageMask, srcAccessMask, dstStageMask, dstAccessMask;
    uint32_t srcQueueFamilyIndex, dstQueueFamilyIndex;
    VkBuffer buffer; uint64_t offset, size;
} VkBufferMemoryBarrier2;
typedef struct VkImageMemoryBarrier2 {
    VkStructureType sType; const void *pNext;
    VkFlags64 srcStageMask, srcAccessMask, dstStageMask, dstAccessMask;
    VkImageLayout oldLayout, newLayout;
    uint32_t srcQueueFamilyIndex, dstQueueFamilyIndex;
    VkImage image; VkImageSubresourceRange subresourceRange;
} VkImageMemoryBarrier2;
typedef struct VkDependencyInfo {
    VkStructureType sType; const void *pNext; VkFlags dependencyFlags;
    uint32_t memoryBarrierCount; const VkMemoryBarrier2 *pMemoryBarriers;
    uint32_t bufferMemoryBarrierCount; const VkBufferMemoryBarrier2 *pBufferMemoryBarriers;
    uint32_t imageMemoryBarrierCount; const VkImageMemoryBarrier2 *pImageMemoryBarriers;
} VkDependencyInfo;
#endif

/* ---- The machine ---- */

#define SS_CACHES_MAX 64
#define SS_PATH_MAX 64
/* A set of caches: bit N is cache N of the profile. */
typedef uint64_t SsCaches;

typedef enum SsPolicy { SS_READ_ONLY, SS_WRITE_THROUGH, SS_WRITE_BACK } SsPolicy;

typedef struct SsCache {
    const char *name;
    SsPolicy policy;             /* only a write-back cache is ever dirty, and can be flushed */
    int is_private;              /* each client has one of its own */
    int parent;                  /* the next cache; -1: memory */
    int flush_drops, drop_loses, refreshed;
    uint64_t line_bytes, capacity_bytes;
} SsCache;

typedef struct SsPath { int count; int caches[SS_PATH_MAX]; } SsPath;

/* Who accesses memory through which caches. Of `texels` and of `metadata` any path may be taken. */
typedef struct SsWay {
    const char *client;
    uint32_t access;             /* a bit of D3D12_BARRIER_ACCESS; 0: another client, such as LAYOUT_OPERATION */
    SsPath *texels; int texel_count;
    SsPath *metadata; int metadata_count;
} SsWay;

typedef struct SsSurface { SsWay *ways; int count; } SsSurface;

typedef struct SsProfile {
    const char *name;
    const char *waits;           /* "stage", "front-end" or "queue" */
    SsCache *caches; int cache_count;  /* each before the one that its lines go into */
    const char **layout_operations; int layout_operation_count;
    uint32_t front_end_reads;    /* accesses of a front end that fetches ahead */
    int has_tile_pass;           /* it renders tile by tile: accesses to attachments, and the path that stores take */
    uint32_t tile_accesses;
    SsPath tile_path;
    SsSurface *surfaces; int surface_count;
} SsProfile;

/* ---- A program ---- */

typedef struct SsResource {
    const char *name;
    uint32_t flags;              /* D3D12_RESOURCE_FLAGS */
    int is_texture;
    uint64_t bytes;              /* of a buffer */
    const char *format;          /* of a texture, as the other fields */
    uint32_t width, height, depth, mips, layers, samples;
    int heap;                    /* -1: memory of its own */
    uint64_t heap_offset;
} SsResource;

/* A barrier as D3D12 says it: D3D12_GLOBAL_BARRIER, D3D12_BUFFER_BARRIER or D3D12_TEXTURE_BARRIER. */
typedef struct SsD3d12Barrier {
    const char *Type;            /* "global", "buffer", "texture" or "ranged" */
    uint32_t SyncBefore, SyncAfter, AccessBefore, AccessAfter;
    uint32_t LayoutBefore, LayoutAfter, Flags;   /* of a texture barrier */
    struct { uint32_t IndexOrFirstMipLevel, NumMipLevels, FirstArraySlice, NumArraySlices, FirstPlane, NumPlanes; } Subresources;
} SsD3d12Barrier;

typedef enum SsSplit { SS_WHOLE, SS_SPLIT_BEGIN, SS_SPLIT_END } SsSplit;
typedef enum SsVkKind { SS_VK_NONE, SS_VK_MEMORY, SS_VK_BUFFER, SS_VK_IMAGE } SsVkKind;

/* An entry of a barrier call. */
typedef struct SsBarrier {
    uint32_t entry;              /* its index, for SsPacket.first_entry */
    const SsResource *resource;  /* NULL: all memory of the queue */
    SsD3d12Barrier d3d12;
    SsVkKind vk_kind;            /* in which array of the call's VkDependencyInfo it is, at vk_index */
    uint32_t vk_index;
    /* What it means: stages are bits of D3D12_BARRIER_SYNC, accesses plain bits of D3D12_BARRIER_ACCESS. */
    uint32_t wait, hold;         /* stages whose earlier work ends first, and whose later work starts after it */
    uint32_t before, after;      /* accesses on both sides */
    uint32_t given_up;           /* accesses whose writes nobody reads: they must not be written back over later ones */
    int metadata_before, metadata_after;  /* whether these accesses touch metadata */
    uint32_t surfaces;           /* bit N: some of its bytes are of SsProfile.surfaces[N] */
    const char *layout;          /* the layout operation that it needs, or NULL */
    int initialises;             /* that gives new metadata to discarded contents */
    SsCaches leftovers;          /* caches that may have lines of an earlier alias: flushed and dropped */
    SsSplit split;               /* a half of a split barrier: the first waits and acts, the second holds */
    int by_region;               /* inside of a render pass that stays in tile memory: no packet is used for it, but with
                                    SS_DECIDES_PASSES */
} SsBarrier;

typedef struct SsBarrierCall {
    const char *id;
    const SsBarrier *entries; int count;
    VkDependencyInfo vk;         /* handles are indices of resources plus 1 */
} SsBarrierCall;

typedef struct SsUse { const SsResource *resource; uint32_t access, stages; int reads, writes; } SsUse;

typedef struct SsWork {
    const char *id, *command, *label;  /* `label` may be NULL */
    uint32_t stages;
    const SsUse *uses; int count;
} SsWork;

/* ---- Packets ---- */

typedef enum SsOpKind { SS_FLUSH, SS_INVALIDATE, SS_LAYOUT, SS_FRONT_END } SsOpKind;
#define SS_OPS_MAX 256

/* Waits, does its operations in order, and until then holds. */
typedef struct SsPacket {
    uint32_t wait;               /* stages; 0: it waits for nothing */
    uint32_t hold;               /* stages, or SS_HOLD_ASKED */
    int count;
    struct { SsOpKind kind; int cache; const char *layout; } ops[SS_OPS_MAX];
    uint32_t first_entry, entry_count;  /* the entries of the call that it is for; a count of 0: all of them */
    const char *text;            /* what the driver wrote, for people, or NULL */
} SsPacket;

struct SsOut;
typedef struct SsStream {
    const SsProfile *profile;
    const SsResource *resources; int resource_count;
    const char *queue, *queue_type;
    void *state;                 /* STATE_BYTES of the driver, zero at the start of each scope */
    /* Where the packet is that is written next. */
    const char *at, *id;
    struct SsOut *out;
} SsStream;

typedef struct SsDriver {
    void (*begin)(SsStream *);
    void (*barrier)(SsStream *, const SsBarrierCall *);
    void (*work)(SsStream *, const SsWork *);
    void (*end)(SsStream *);
    size_t state_bytes;
    int options;
} SsDriver;

/* Options: the driver decides about barriers inside of render passes too, and nothing stays in tile memory; it drops and
 * writes back by itself, in `begin` and `end`, what a scope needs at its start and its end. */
enum { SS_DECIDES_PASSES = 1, SS_ENDS_SCOPES = 2 };

/* ---- The reader of JSON. Memory is an arena: a block for each line, freed with it. ---- */

typedef struct SsBlock { struct SsBlock *next; size_t used, size; } SsBlock;
typedef struct SsArena { SsBlock *first; } SsArena;

static void ss_die(const char *why) {
    fprintf(stderr, "syncscope_driver.h: %s\n", why);
    exit(2);
}

static void ss_die_of(const char *why, const char *of, const char *on) {
    fprintf(stderr, "syncscope_driver.h: %s `%s` on the machine `%s`\n", why, of ? of : "", on ? on : "");
    exit(2);
}

static void *ss_alloc(SsArena *arena, size_t bytes) {
    SsBlock *block = arena->first;
    size_t start = (sizeof(SsBlock) + 15) & ~(size_t)15;
    bytes = (bytes + 15) & ~(size_t)15;
    if (!block || block->size - block->used < bytes) {
        size_t size = start + (bytes > 65536 ? bytes : 65536);
        block = (SsBlock *)malloc(size);
        if (!block) ss_die("out of memory");
        block->next = arena->first; block->used = start; block->size = size;
        arena->first = block;
    }
    {
        void *at = (char *)block + block->used;
        block->used += bytes;
        memset(at, 0, bytes);
        return at;
    }
}

/* Frees all but one block, which is used again. */
static void ss_reset(SsArena *arena) {
    SsBlock *block = arena->first;
    while (block && block->next) {
        SsBlock *next = block->next;
        free(block);
        block = next;
    }
    if (block) block->used = (sizeof(SsBlock) + 15) & ~(size_t)15;
    arena->first = block;
}

typedef enum SsType { SS_NULL, SS_FALSE, SS_TRUE, SS_NUMBER, SS_STRING, SS_ARRAY, SS_OBJECT } SsType;
typedef struct SsJson {
    SsType type;
    const char *key, *text;
    uint64_t number;
    int count;
    struct SsJson *child, *next;
} SsJson;

static char *ss_blank(char *at) {
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
    return at;
}

static unsigned ss_hex(const char *at) {
    unsigned value = 0;
    int i;
    for (i = 0; i < 4; i++) {
        char c = at[i];
        unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                       : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10) : 16;
        if (digit > 15) ss_die("a string with a bad escape");
        value = value << 4 | digit;
    }
    return value;
}

/* A string, in place: what it says is never longer than how it is written. */
static char *ss_string(char *at, const char **text) {
    char *to = ++at;
    *text = to;
    for (; *at != '"'; at++) {
        if (!*at) ss_die("a string without an end");
        if (*at != '\\') { *to++ = *at; continue; }
        at++;
        switch (*at) {
        case 'n': *to++ = '\n'; break;
        case 't': *to++ = '\t'; break;
        case 'r': *to++ = '\r'; break;
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'u': {
            unsigned c = ss_hex(at + 1);
            at += 4;
            if (c >= 0xd800 && c < 0xdc00 && at[1] == '\\' && at[2] == 'u') {
                c = 0x10000 + ((c - 0xd800) << 10) + (ss_hex(at + 3) - 0xdc00);
                at += 6;
            }
            if (c < 0x80) *to++ = (char)c;
            else if (c < 0x800) { *to++ = (char)(0xc0 | c >> 6); *to++ = (char)(0x80 | (c & 63)); }
            else if (c < 0x10000) { *to++ = (char)(0xe0 | c >> 12); *to++ = (char)(0x80 | (c >> 6 & 63)); *to++ = (char)(0x80 | (c & 63)); }
            else { *to++ = (char)(0xf0 | c >> 18); *to++ = (char)(0x80 | (c >> 12 & 63)); *to++ = (char)(0x80 | (c >> 6 & 63)); *to++ = (char)(0x80 | (c & 63)); }
            break;
        }
        case 0: ss_die("a string without an end"); break;
        default: *to++ = *at;
        }
    }
    *to = 0;
    return at + 1;
}

static char *ss_value(SsArena *arena, char *at, SsJson *value, int depth) {
    at = ss_blank(at);
    if (depth > 64) ss_die("values within values within values");
    if (*at == '"') {
        value->type = SS_STRING;
        return ss_string(at, &value->text);
    }
    if (*at == '{' || *at == '[') {
        char close = *at == '{' ? '}' : ']';
        SsJson **last = &value->child;
        value->type = *at == '{' ? SS_OBJECT : SS_ARRAY;
        at = ss_blank(at + 1);
        while (*at != close) {
            SsJson *item = (SsJson *)ss_alloc(arena, sizeof *item);
            if (value->type == SS_OBJECT) {
                if (*at != '"') ss_die("an object without a key");
                at = ss_blank(ss_string(at, &item->key));
                if (*at++ != ':') ss_die("a key without a value");
            }
            at = ss_blank(ss_value(arena, at, item, depth + 1));
            *last = item; last = &item->next; value->count++;
            if (*at == ',') at = ss_blank(at + 1);
            else if (*at != close) ss_die("a list without an end");
        }
        return at + 1;
    }
    if (*at >= '0' && *at <= '9') {
        value->type = SS_NUMBER;
        for (; *at >= '0' && *at <= '9'; at++) value->number = value->number * 10 + (uint64_t)(*at - '0');
        return at;
    }
    if (!strncmp(at, "true", 4)) { value->type = SS_TRUE; return at + 4; }
    if (!strncmp(at, "false", 5)) { value->type = SS_FALSE; return at + 5; }
    if (!strncmp(at, "null", 4)) { value->type = SS_NULL; return at + 4; }
    ss_die("a line that is no JSON");
    return at;
}

static const SsJson *ss_get(const SsJson *of, const char *key) {
    static const SsJson nothing = { SS_NULL, NULL, NULL, 0, 0, NULL, NULL };
    const SsJson *at;
    for (at = of->child; at; at = at->next) if (at->key && !strcmp(at->key, key)) return at;
    return &nothing;
}
static uint64_t ss_number(const SsJson *of, const char *key) { return ss_get(of, key)->number; }
static uint32_t ss_u32(const SsJson *of, const char *key) { return (uint32_t)ss_get(of, key)->number; }
static int ss_true(const SsJson *of, const char *key) { return ss_get(of, key)->type == SS_TRUE; }
static const char *ss_text(const SsJson *of, const char *key) { return ss_get(of, key)->text; }

/* ---- Writing ---- */

struct SsOut { char *text; size_t used, size; int packets; };

static void ss_put(struct SsOut *out, const char *text) {
    size_t length = strlen(text);
    if (out->used + length + 1 > out->size) {
        out->size = 2 * (out->used + length + 1);
        out->text = (char *)realloc(out->text, out->size);
        if (!out->text) ss_die("out of memory");
    }
    memcpy(out->text + out->used, text, length + 1);
    out->used += length;
}

static void ss_put_string(struct SsOut *out, const char *text) {
    char one[8];
    ss_put(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') { one[0] = '\\'; one[1] = (char)c; one[2] = 0; }
        else if (c < 32) snprintf(one, sizeof one, "\\u%04x", c);
        else { one[0] = (char)c; one[1] = 0; }
        ss_put(out, one);
    }
    ss_put(out, "\"");
}

static void ss_put_stages(struct SsOut *out, uint32_t stages) {
    static const struct { uint32_t bit; const char *name; } names[] = {
        { 0x4, "INDEX_INPUT" }, { 0x8, "VERTEX_SHADING" }, { 0x10, "PIXEL_SHADING" }, { 0x20, "DEPTH_STENCIL" },
        { 0x40, "RENDER_TARGET" }, { 0x80, "COMPUTE_SHADING" }, { 0x100, "RAYTRACING" }, { 0x200, "COPY" },
        { 0x400, "RESOLVE" }, { 0x800, "EXECUTE_INDIRECT" }, { 0x4000, "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO" },
        { 0x8000, "CLEAR_UNORDERED_ACCESS_VIEW" }, { 0x100000, "VIDEO_DECODE" }, { 0x200000, "VIDEO_PROCESS" },
        { 0x400000, "VIDEO_ENCODE" }, { 0x800000, "BUILD_RAYTRACING_ACCELERATION_STRUCTURE" },
        { 0x1000000, "COPY_RAYTRACING_ACCELERATION_STRUCTURE" } };
    size_t i;
    int any = 0;
    ss_put(out, "[");
    if (stages == SS_SYNC_EVERY) { ss_put(out, "\"ALL\""); any = 1; }
    for (i = 0; i < sizeof names / sizeof *names && stages != SS_SYNC_EVERY; i++) {
        if (!(stages & names[i].bit)) continue;
        if (any) ss_put(out, ",");
        ss_put_string(out, names[i].name);
        any = 1;
    }
    ss_put(out, "]");
}

/* An empty packet. */
static SsPacket ss_packet(void) {
    SsPacket packet;
    packet.wait = 0; packet.hold = SS_HOLD_ASKED; packet.count = 0; packet.first_entry = 0; packet.entry_count = 0; packet.text = NULL;
    return packet;
}

static void ss_op(SsPacket *packet, SsOpKind kind, int cache, const char *layout) {
    if (packet->count == SS_OPS_MAX) ss_die("a packet of too many operations");
    packet->ops[packet->count].kind = kind;
    packet->ops[packet->count].cache = cache;
    packet->ops[packet->count].layout = layout;
    packet->count++;
}

/* A cache by its name; -1: the machine has none. */
static int ss_find_cache(const SsProfile *profile, const char *name) {
    int i;
    for (i = 0; name && i < profile->cache_count; i++) if (!strcmp(profile->caches[i].name, name)) return i;
    return -1;
}

/* A cache by its name. Where the machine has none the driver ends with a message; ss_find_cache asks. */
static int ss_cache(const SsProfile *profile, const char *name) {
    int cache = ss_find_cache(profile, name);
    if (cache < 0) ss_die_of("there is no cache", name, profile->name);
    return cache;
}

/* Appends flushes of the write-back caches of a set, each before the one that its lines go into. */
static void ss_flush(SsPacket *packet, const SsProfile *profile, SsCaches caches) {
    int i;
    for (i = 0; i < profile->cache_count; i++)
        if (caches >> i & 1 && profile->caches[i].policy == SS_WRITE_BACK) ss_op(packet, SS_FLUSH, i, NULL);
}

/* Appends drops of a set of caches. */
static void ss_invalidate(SsPacket *packet, const SsProfile *profile, SsCaches caches) {
    int i;
    for (i = 0; i < profile->cache_count; i++) if (caches >> i & 1) ss_op(packet, SS_INVALIDATE, i, NULL);
}

/* Appends a layout operation by its name; "work": the one that each entry of the packet needs. */
static void ss_layout(SsPacket *packet, const char *name) { ss_op(packet, SS_LAYOUT, -1, name); }

/* Appends what makes the front end wait. */
static void ss_front_end(SsPacket *packet) { ss_op(packet, SS_FRONT_END, -1, NULL); }

/* Writes a packet where the stream is. */
static void ss_write(SsStream *stream, const SsPacket *packet) {
    struct SsOut *out = stream->out;
    char number[24];
    uint32_t entry;
    int i;
    ss_put(out, out->packets++ ? ",{\"schema\":1" : "{\"schema\":1");
    if (strcmp(stream->at, "barrier")) {
        ss_put(out, ",\"at\":"); ss_put_string(out, stream->at);
        ss_put(out, ",\"command\":"); ss_put_string(out, stream->id);
    } else {
        ss_put(out, ",\"barrier\":"); ss_put_string(out, stream->id);
    }
    ss_put(out, ",\"wait\":"); ss_put_stages(out, packet->wait);
    if (packet->hold != SS_HOLD_ASKED) { ss_put(out, ",\"hold\":"); ss_put_stages(out, packet->hold); }
    if (packet->count) ss_put(out, ",\"ops\":[");
    for (i = 0; i < packet->count; i++) {
        SsOpKind kind = packet->ops[i].kind;
        if (i) ss_put(out, ",");
        if (kind == SS_FRONT_END) { ss_put(out, "\"front_end\""); continue; }
        if (kind != SS_LAYOUT && (packet->ops[i].cache < 0 || packet->ops[i].cache >= stream->profile->cache_count))
            ss_die_of("a packet with an operation on a cache that is not there, for", stream->id, stream->profile->name);
        ss_put(out, kind == SS_FLUSH ? "{\"flush\":" : kind == SS_INVALIDATE ? "{\"invalidate\":" : "{\"layout\":");
        ss_put_string(out, kind == SS_LAYOUT ? packet->ops[i].layout : stream->profile->caches[packet->ops[i].cache].name);
        ss_put(out, "}");
    }
    if (packet->count) ss_put(out, "]");
    if (packet->entry_count) ss_put(out, ",\"entries\":[");
    for (entry = 0; entry < packet->entry_count; entry++) {
        snprintf(number, sizeof number, entry ? ",%lu" : "%lu", (unsigned long)(packet->first_entry + entry));
        ss_put(out, number);
    }
    if (packet->entry_count) ss_put(out, "]");
    if (packet->text) { ss_put(out, ",\"raw\":["); ss_put_string(out, packet->text); ss_put(out, "]"); }
    ss_put(out, "}");
}

/* ---- From JSON to structures ---- */

static SsCaches ss_caches_of(const SsProfile *profile, const SsJson *names) {
    SsCaches set = 0;
    for (names = names->child; names; names = names->next) {
        set |= (SsCaches)1 << ss_cache(profile, names->text);
    }
    return set;
}

static SsPath ss_path(const SsProfile *profile, const SsJson *names) {
    SsPath path;
    const SsJson *name;
    path.count = 0;
    for (name = names->child; name; name = name->next) {
        if (path.count == SS_PATH_MAX) ss_die_of("a path of too many caches, after", name->text, profile->name);
        path.caches[path.count++] = ss_cache(profile, name->text);
    }
    return path;
}

static SsPath *ss_paths(SsArena *arena, const SsProfile *profile, const SsJson *rows, int *count) {
    SsPath *paths = (SsPath *)ss_alloc(arena, sizeof *paths * (size_t)(rows->count + 1));
    *count = 0;
    for (rows = rows->child; rows; rows = rows->next) paths[(*count)++] = ss_path(profile, rows);
    return paths;
}

static SsProfile *ss_read_profile(SsArena *arena, const SsJson *line) {
    SsProfile *profile = (SsProfile *)ss_alloc(arena, sizeof *profile);
    const SsJson *rows = ss_get(line, "caches"), *row, *one;
    profile->name = ss_text(line, "profile");
    profile->waits = ss_text(line, "waits");
    profile->caches = (SsCache *)ss_alloc(arena, sizeof(SsCache) * (size_t)(rows->count + 1));
    for (row = rows->child; row; row = row->next) profile->caches[profile->cache_count++].name = ss_text(row, "cache");
    if (profile->cache_count > SS_CACHES_MAX) ss_die("a machine with too many caches");
    profile->cache_count = 0;
    for (row = rows->child; row; row = row->next) {
        SsCache *cache = &profile->caches[profile->cache_count];
        const char *policy = ss_text(row, "policy"), *parent = ss_text(row, "parent");
        cache->policy = !strcmp(policy, "write-back") ? SS_WRITE_BACK : !strcmp(policy, "write-through") ? SS_WRITE_THROUGH : SS_READ_ONLY;
        cache->is_private = ss_true(row, "private");
        cache->flush_drops = ss_true(row, "flush_drops");
        cache->drop_loses = ss_true(row, "drop_loses");
        cache->refreshed = ss_true(row, "refreshed");
        cache->line_bytes = ss_number(row, "line_bytes");
        cache->capacity_bytes = ss_number(row, "capacity_bytes");
        cache->parent = -1;
        profile->cache_count++;
        if (parent) {
            int count = profile->cache_count;
            profile->cache_count = rows->count;
            cache->parent = ss_cache(profile, parent);
            profile->cache_count = count;
        }
    }
    rows = ss_get(line, "layout_operations");
    profile->layout_operations = (const char **)ss_alloc(arena, sizeof(char *) * (size_t)(rows->count + 1));
    for (row = rows->child; row; row = row->next) profile->layout_operations[profile->layout_operation_count++] = ss_text(row, "name");
    profile->front_end_reads = ss_u32(ss_get(line, "front_end"), "reads");
    row = ss_get(line, "tile_pass");
    profile->has_tile_pass = row->type == SS_OBJECT;
    profile->tile_accesses = ss_u32(row, "accesses");
    profile->tile_path = ss_path(profile, ss_get(row, "path"));
    rows = ss_get(line, "surfaces");
    profile->surfaces = (SsSurface *)ss_alloc(arena, sizeof(SsSurface) * (size_t)(rows->count + 1));
    for (row = rows->child; row; row = row->next) {
        SsSurface *surface = &profile->surfaces[profile->surface_count++];
        const SsJson *ways = ss_get(row, "ways");
        surface->ways = (SsWay *)ss_alloc(arena, sizeof(SsWay) * (size_t)(ways->count + 1));
        for (one = ways->child; one; one = one->next) {
            SsWay *way = &surface->ways[surface->count++];
            way->client = ss_text(one, "client");
            way->access = ss_u32(one, "access");
            way->texels = ss_paths(arena, profile, ss_get(one, "texels"), &way->texel_count);
            way->metadata = ss_paths(arena, profile, ss_get(one, "metadata"), &way->metadata_count);
        }
    }
    return profile;
}

static uint64_t ss_nth(const SsJson *list, int at) {
    const SsJson *item = list->child;
    for (; item && at; at--) item = item->next;
    return item ? item->number : 0;
}

static SsResource *ss_read_resources(SsArena *arena, const SsJson *rows) {
    SsResource *all = (SsResource *)ss_alloc(arena, sizeof *all * (size_t)(rows->count + 1)), *to = all;
    for (rows = rows->child; rows; rows = rows->next, to++) {
        const SsJson *texture = ss_get(rows, "texture"), *placed = ss_get(rows, "placed"), *size = ss_get(texture, "size");
        to->name = ss_text(rows, "name");
        to->flags = ss_u32(rows, "flags");
        to->bytes = ss_number(rows, "bytes");
        to->is_texture = texture->type == SS_OBJECT;
        to->format = ss_text(texture, "format");
        to->width = (uint32_t)ss_nth(size, 0); to->height = (uint32_t)ss_nth(size, 1); to->depth = (uint32_t)ss_nth(size, 2);
        to->mips = ss_u32(texture, "mips"); to->layers = ss_u32(texture, "layers"); to->samples = ss_u32(texture, "samples");
        to->heap = placed->type == SS_ARRAY ? (int)ss_nth(placed, 0) : -1;
        to->heap_offset = ss_nth(placed, 1);
    }
    return all;
}

static const SsResource *ss_resource(const SsStream *stream, const SsJson *index) {
    int known = index->type == SS_NUMBER && index->number < (uint64_t)stream->resource_count;
    return known ? &stream->resources[index->number] : NULL;
}

static void ss_read_d3d12(const SsJson *row, SsD3d12Barrier *to) {
    const SsJson *part = ss_get(row, "part"), *mips = ss_get(part, "mips"), *layers = ss_get(part, "layers"), *planes = ss_get(part, "planes");
    to->Type = ss_text(row, "type");
    to->SyncBefore = ss_u32(row, "sync_before"); to->SyncAfter = ss_u32(row, "sync_after");
    to->AccessBefore = ss_u32(row, "access_before"); to->AccessAfter = ss_u32(row, "access_after");
    to->LayoutBefore = ss_u32(row, "layout_before"); to->LayoutAfter = ss_u32(row, "layout_after");
    to->Flags = ss_u32(row, "flags");
    to->Subresources.IndexOrFirstMipLevel = (uint32_t)ss_nth(mips, 0);
    to->Subresources.NumMipLevels = (uint32_t)(ss_nth(mips, 1) - ss_nth(mips, 0));
    to->Subresources.FirstArraySlice = (uint32_t)ss_nth(layers, 0);
    to->Subresources.NumArraySlices = (uint32_t)(ss_nth(layers, 1) - ss_nth(layers, 0));
    to->Subresources.FirstPlane = (uint32_t)ss_nth(planes, 0);
    to->Subresources.NumPlanes = (uint32_t)(ss_nth(planes, 1) - ss_nth(planes, 0));
}

typedef struct SsVkArrays { VkMemoryBarrier2 *memory; VkBufferMemoryBarrier2 *buffers; VkImageMemoryBarrier2 *images; } SsVkArrays;

#define SS_MASKS(to, row) \
    ((to)->srcStageMask = ss_number(row, "src_stage_mask"), (to)->srcAccessMask = ss_number(row, "src_access_mask"), \
     (to)->dstStageMask = ss_number(row, "dst_stage_mask"), (to)->dstAccessMask = ss_number(row, "dst_access_mask"))

static void ss_read_vk(const SsJson *row, uintptr_t handle, SsBarrier *entry, VkDependencyInfo *vk, SsVkArrays *to) {
    const char *structure = row->type == SS_OBJECT ? ss_text(row, "structure") : "";
    if (!strcmp(structure, "memory")) {
        VkMemoryBarrier2 *it = &to->memory[vk->memoryBarrierCount];
        entry->vk_kind = SS_VK_MEMORY; entry->vk_index = vk->memoryBarrierCount++;
        it->sType = (VkStructureType)1000314000;
        SS_MASKS(it, row);
    } else if (!strcmp(structure, "buffer")) {
        VkBufferMemoryBarrier2 *it = &to->buffers[vk->bufferMemoryBarrierCount];
        entry->vk_kind = SS_VK_BUFFER; entry->vk_index = vk->bufferMemoryBarrierCount++;
        it->sType = (VkStructureType)1000314001;
        SS_MASKS(it, row);
        it->srcQueueFamilyIndex = it->dstQueueFamilyIndex = ~0u;
        it->buffer = (VkBuffer)handle;
        it->size = ~(uint64_t)0;
    } else if (!strcmp(structure, "image")) {
        VkImageMemoryBarrier2 *it = &to->images[vk->imageMemoryBarrierCount];
        const SsJson *image = ss_get(row, "image");
        entry->vk_kind = SS_VK_IMAGE; entry->vk_index = vk->imageMemoryBarrierCount++;
        it->sType = (VkStructureType)1000314002;
        SS_MASKS(it, row);
        it->srcQueueFamilyIndex = it->dstQueueFamilyIndex = ~0u;
        it->image = (VkImage)handle;
        it->oldLayout = (VkImageLayout)ss_u32(image, "old_layout");
        it->newLayout = (VkImageLayout)ss_u32(image, "new_layout");
        it->subresourceRange.aspectMask = ss_u32(image, "aspect_mask");
        it->subresourceRange.baseMipLevel = ss_u32(image, "base_mip_level");
        it->subresourceRange.levelCount = ss_u32(image, "level_count");
        it->subresourceRange.baseArrayLayer = ss_u32(image, "base_array_layer");
        it->subresourceRange.layerCount = ss_u32(image, "layer_count");
    }
}

static void ss_read_meaning(const SsProfile *profile, const SsJson *row, SsBarrier *to) {
    const SsJson *surface = ss_get(row, "surfaces")->child;
    const char *split = ss_text(row, "split");
    to->wait = ss_u32(row, "wait"); to->hold = ss_u32(row, "hold");
    to->before = ss_u32(row, "before"); to->after = ss_u32(row, "after");
    to->given_up = ss_u32(row, "given_up");
    to->metadata_before = ss_true(row, "metadata_before"); to->metadata_after = ss_true(row, "metadata_after");
    for (; surface; surface = surface->next) {
        if (surface->number > 31) ss_die("a machine with too many kinds of surfaces");
        to->surfaces |= 1u << surface->number;
    }
    to->layout = ss_text(row, "layout");
    to->initialises = ss_true(row, "initialises");
    to->leftovers = ss_caches_of(profile, ss_get(row, "leftovers"));
    to->split = !split ? SS_WHOLE : !strcmp(split, "begin") ? SS_SPLIT_BEGIN : SS_SPLIT_END;
    to->by_region = ss_true(row, "by_region");
}

static void ss_read_call(SsArena *arena, const SsStream *stream, const SsJson *event, SsBarrierCall *call) {
    const SsJson *rows = ss_get(event, "entries"), *row;
    size_t count = (size_t)rows->count + 1;
    SsBarrier *entries = (SsBarrier *)ss_alloc(arena, sizeof *entries * count);
    SsVkArrays vk;
    vk.memory = (VkMemoryBarrier2 *)ss_alloc(arena, sizeof(VkMemoryBarrier2) * count);
    vk.buffers = (VkBufferMemoryBarrier2 *)ss_alloc(arena, sizeof(VkBufferMemoryBarrier2) * count);
    vk.images = (VkImageMemoryBarrier2 *)ss_alloc(arena, sizeof(VkImageMemoryBarrier2) * count);
    memset(call, 0, sizeof *call);
    call->id = ss_text(event, "id");
    call->entries = entries;
    call->vk.sType = (VkStructureType)1000314003;
    for (row = rows->child; row; row = row->next) {
        SsBarrier *entry = &entries[call->count++];
        const SsJson *resource = ss_get(row, "resource");
        entry->entry = ss_u32(row, "entry");
        entry->resource = ss_resource(stream, resource);
        ss_read_d3d12(ss_get(row, "d3d12"), &entry->d3d12);
        ss_read_vk(ss_get(row, "vulkan"), (uintptr_t)resource->number + 1, entry, &call->vk, &vk);
        ss_read_meaning(stream->profile, ss_get(row, "means"), entry);
    }
    call->vk.pMemoryBarriers = vk.memory;
    call->vk.pBufferMemoryBarriers = vk.buffers;
    call->vk.pImageMemoryBarriers = vk.images;
}

static void ss_read_work(SsArena *arena, const SsStream *stream, const SsJson *event, SsWork *work) {
    const SsJson *rows = ss_get(event, "uses");
    SsUse *use = (SsUse *)ss_alloc(arena, sizeof *use * (size_t)(rows->count + 1));
    work->id = ss_text(event, "id"); work->command = ss_text(event, "command"); work->label = ss_text(event, "label");
    work->stages = ss_u32(event, "stages");
    work->uses = use; work->count = rows->count;
    for (rows = rows->child; rows; rows = rows->next, use++) {
        use->resource = ss_resource(stream, ss_get(rows, "resource"));
        use->access = ss_u32(rows, "access"); use->stages = ss_u32(rows, "stages");
        use->reads = ss_true(rows, "reads"); use->writes = ss_true(rows, "writes");
    }
}

/* ---- The stream of a queue ---- */

static void ss_event(SsArena *arena, const SsDriver *driver, SsStream *stream, const SsJson *event) {
    stream->id = ss_text(event, "id");
    if (!strcmp(ss_text(event, "event"), "work")) {
        SsWork work;
        if (!driver->work) return;
        stream->at = "work";
        ss_read_work(arena, stream, event, &work);
        driver->work(stream, &work);
    } else {
        SsBarrierCall call;
        if (!driver->barrier) return;
        stream->at = "barrier";
        ss_read_call(arena, stream, event, &call);
        driver->barrier(stream, &call);
    }
}

static void ss_scope(SsArena *arena, const SsDriver *driver, SsStream *stream, const SsJson *scope) {
    const SsJson *event = ss_get(scope, "events")->child;
    const char *last = NULL;
    stream->queue = ss_text(scope, "queue"); stream->queue_type = ss_text(scope, "type");
    stream->state = ss_alloc(arena, driver->state_bytes + 1);
    for (; event; event = event->next) {
        const char *id = ss_text(event, "id");
        if (!id) continue;
        if (!last && driver->begin) { stream->at = "submit"; stream->id = id; driver->begin(stream); }
        last = id;
        ss_event(arena, driver, stream, event);
    }
    if (last && driver->end) { stream->at = "end"; stream->id = last; driver->end(stream); }
}

static char *ss_line(char **buffer, size_t *size) {
    size_t used = 0;
    for (;;) {
        if (*size - used < 2) {
            *size = *size ? 2 * *size : 65536;
            *buffer = (char *)realloc(*buffer, *size);
            if (!*buffer) ss_die("out of memory");
        }
        if (!fgets(*buffer + used, (int)(*size - used), stdin)) return used ? *buffer : NULL;
        used += strlen(*buffer + used);
        if (used && (*buffer)[used - 1] == '\n') return *buffer;
    }
}

#define SS_PROFILES_MAX 64

static int ss_main(const SsDriver *driver) {
    SsArena arenas[SS_PROFILES_MAX], arena;
    SsProfile *profiles[SS_PROFILES_MAX];
    struct SsOut out;
    char *buffer = NULL, *line;
    size_t size = 0;
    int count = 0, i;
    memset(&arena, 0, sizeof arena);
    memset(&out, 0, sizeof out);
    while ((line = ss_line(&buffer, &size)) != NULL) {
        SsJson json;
        const SsJson *scope;
        SsStream stream;
        const char *kind, *name;
        memset(&json, 0, sizeof json);
        ss_reset(&arena);
        ss_value(&arena, line, &json, 0);
        kind = ss_text(&json, "line"); name = ss_text(&json, "profile");
        if (!kind || !name || ss_number(&json, "schema") != 1) ss_die("a line of another protocol");
        for (i = 0; i < count && strcmp(profiles[i]->name, name); i++) {}
        if (!strcmp(kind, "profile")) {
            /* Its strings stay: they get the line, and the next line another one. */
            if (i == SS_PROFILES_MAX) ss_die("too many machines");
            if (i == count) { memset(&arenas[i], 0, sizeof arenas[i]); count++; }
            profiles[i] = ss_read_profile(&arenas[i], &json);
            buffer = NULL; size = 0;
            continue;
        }
        if (i == count) ss_die("a program on a machine that was not told");
        memset(&stream, 0, sizeof stream);
        stream.profile = profiles[i];
        stream.resources = ss_read_resources(&arena, ss_get(&json, "resources"));
        stream.resource_count = ss_get(&json, "resources")->count;
        stream.out = &out;
        out.used = 0; out.packets = 0;
        ss_put(&out, "{\"schema\":1,\"packets\":[");
        for (scope = ss_get(&json, "scopes")->child; scope; scope = scope->next) ss_scope(&arena, driver, &stream, scope);
        ss_put(&out, driver->options & SS_DECIDES_PASSES ? "],\"keeps_passes\":false" : "],\"keeps_passes\":true");
        ss_put(&out, driver->options & SS_ENDS_SCOPES ? ",\"ends_scopes\":true}\n" : "}\n");
        fwrite(out.text, 1, out.used, stdout);
        fflush(stdout);
    }
    return 0;
}

/* Functions that a driver need not use. */
static inline void ss_unused(void) {
    (void)ss_packet; (void)ss_op; (void)ss_flush; (void)ss_invalidate; (void)ss_layout; (void)ss_front_end; (void)ss_write;
    (void)ss_cache; (void)ss_find_cache; (void)ss_main; (void)ss_unused;
}

#define SYNCSCOPE_DRIVER(BEGIN, BARRIER, WORK, END, STATE_BYTES, OPTIONS) \
    int main(void) { \
        SsDriver driver; \
        driver.begin = BEGIN; driver.barrier = BARRIER; driver.work = WORK; driver.end = END; \
        driver.state_bytes = STATE_BYTES; driver.options = OPTIONS; \
        return ss_main(&driver); \
    }

#endif
