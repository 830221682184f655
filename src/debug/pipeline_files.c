/* pipeline_files.c - a traced pipeline as files: Kanata, and a page of its own.
 *
 * Kanata 0004 is the text format of the Onikiri 2 simulator's viewers, of which Konata is one
 * (https://github.com/shioyadan/Konata, docs/kanata-log-format.md): commands with tabs between,
 * grouped by cycle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/pipeline_private.h"

/* ---- Kanata ---- */

struct kanata_event {
    cycle at;
    u32 order; /* within a cycle: as they were added */
    char *words;
};

struct kanata {
    struct kanata_event *events;
    u32 count, room;
};

static void kanata_add(struct kanata *kanata, cycle at, char *words)
{
    if (kanata->count == kanata->room) {
        kanata->room = 2 * kanata->room + 1024;
        kanata->events = heap_grow(kanata->events, kanata->room, sizeof *kanata->events);
    }
    kanata->events[kanata->count] = (struct kanata_event){ at, kanata->count, words };
    kanata->count++;
}

static int event_compare(const void *one, const void *other)
{
    const struct kanata_event *a = one, *b = other;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void stage_name(const struct stage *stage, char *buffer, size_t size)
{
    if (stage->blamed < CLASS_COUNT)
        snprintf(buffer, size, "%s:%s", stage->name, isa_class_name(stage->blamed));
    else
        snprintf(buffer, size, "%s", stage->name);
}

static cycle traced_end(const struct trace_source *source, const struct traced *traced)
{
    return traced->done == NEVER ? source->to : traced->done;
}

static void kanata_add_traced(struct kanata *kanata, const struct trace_source *source, u32 id)
{
    const struct traced *traced = &source->list->items[id];
    char words[160], stage[64];
    source->words(source->context, traced, words, sizeof words);
    kanata_add(kanata, traced->begun, text_format("I\t%u\t%u\t%u", id, id, traced->row));
    kanata_add(
        kanata, traced->begun,
        text_format("L\t%u\t0\t%s %u: %s", id, source->warps ? "w" : "t", traced->row, words));
    if (source->warps)
        kanata_add(kanata, traced->begun,
                   text_format("L\t%u\t1\tlanes %llx", id, (unsigned long long)traced->lanes));
    for (u32 i = 0; i < traced->stage_count; i++) {
        stage_name(&traced->stages[i], stage, sizeof stage);
        kanata_add(kanata, traced->stages[i].from, text_format("S\t%u\t0\t%s", id, stage));
    }
    kanata_add(kanata, traced_end(source, traced),
               text_format("R\t%u\t%u\t%u", id, id, traced->issued == NEVER));
}

void kanata_write(const struct trace_source *source, struct text *out)
{
    struct kanata kanata = { 0 };
    cycle now = source->from;
    for (u32 i = 0; i < source->list->count; i++)
        kanata_add_traced(&kanata, source, i);
    if (kanata.count)
        qsort(kanata.events, kanata.count, sizeof *kanata.events, event_compare);
    text_add(out, "Kanata\t0004\nC=\t%llu\n", (unsigned long long)now);
    for (u32 i = 0; i < kanata.count; i++) {
        if (kanata.events[i].at != now)
            text_add(out, "C\t%llu\n", (unsigned long long)(kanata.events[i].at - now));
        now = kanata.events[i].at;
        text_add(out, "%s\n", kanata.events[i].words);
        free(kanata.events[i].words);
    }
    free(kanata.events);
}

/* ---- The page ---- */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">"
    "<title>Pipeline</title><style>\n"
    "body{font:14px system-ui,sans-serif;margin:1.5em;color:#222}"
    "h1{font-size:1.3em}table{border-collapse:collapse}td,th{padding:2px 10px;text-align:left}"
    "td.n{text-align:right}.key{display:inline-block;width:1em;height:1em;vertical-align:-2px}"
    "#box{position:relative;border:1px solid #ccc;height:70vh;overflow:auto;margin-top:1em}"
    "canvas{position:sticky;top:0;left:0;display:block}#tip{white-space:pre;min-height:3.2em;"
    "font-family:monospace}label{margin-right:1em}\n"
    "</style></head><body>\n";

static const char script[] =
    "const palette=['#4e79a7','#e15759','#f28e2b','#76b7b2','#59a14f','#edc948','#b07aa1',"
    "'#ff9da7','#9c755f','#bab0ac','#86bcb6','#d37295'];\n"
    "const names=[...new Set(data.insns.flatMap(i=>i.s.map(s=>s[1])))];\n"
    "const colour=n=>n==='executes'?'#59a14f':n==='passed'?'#c8c8c8':"
    "palette[(names.indexOf(n)*5+1)%palette.length];\n"
    "const total={};for(const i of data.insns)i.s.forEach((s,k)=>{const e=k+1<i.s.length?"
    "i.s[k+1][0]:i.e;total[s[1]]=(total[s[1]]||0)+Math.max(0,e-s[0])});\n"
    "const table=document.getElementById('causes');\n"
    "Object.entries(total).sort((a,b)=>b[1]-a[1]).forEach(([n,c])=>{const r=table.insertRow();"
    "const k=r.insertCell();const m=document.createElement('span');m.className='key';"
    "m.style.background=colour(n);k.append(m,' '+n);const v=r.insertCell();v.className='n';"
    "v.textContent=c.toLocaleString()});\n"
    "const rows=[...new Set(data.insns.map(i=>i.r))].sort((a,b)=>a-b);\n"
    "const pick=document.getElementById('row');for(const r of rows){const o="
    "document.createElement('option');o.value=r;o.textContent=data.kind+' '+r;pick.append(o)}\n"
    "const box=document.getElementById('box'),canvas=box.firstElementChild,"
    "space=box.lastElementChild,tip=document.getElementById('tip');\n"
    "const H=16,L=330;let W=6,shown=[];\n"
    "function choose(){shown=data.insns.filter(i=>pick.value===''||i.r==pick.value);"
    "space.style.height=shown.length*H+'px';space.style.width=(L+(data.to-data.from)*W)+'px';"
    "draw()}\n"
    "function draw(){const w=box.clientWidth,h=box.clientHeight,d=devicePixelRatio||1;"
    "canvas.width=w*d;canvas.height=h*d;canvas.style.width=w+'px';canvas.style.height=h+'px';"
    "const c=canvas.getContext('2d');c.scale(d,d);c.clearRect(0,0,w,h);c.font='12px monospace';"
    "c.textBaseline='middle';const x0=L-box.scrollLeft,first=Math.floor(box.scrollTop/H);"
    "for(let n=first;n<Math.min(shown.length,first+h/H+1);n++){const i=shown[n],"
    "y=n*H-box.scrollTop;i.s.forEach((s,k)=>{const e=k+1<i.s.length?i.s[k+1][0]:i.e;"
    "c.fillStyle=colour(s[1]);c.fillRect(x0+(s[0]-data.from)*W,y+2,Math.max(1,(e-s[0])*W),H-4)});"
    "c.fillStyle='#fff';c.fillRect(0,y,L,H);c.fillStyle='#222';"
    "c.fillText(i.r+'  '+i.t,4,y+H/2,L-8)}}\n"
    "box.addEventListener('scroll',draw);addEventListener('resize',draw);"
    "pick.addEventListener('change',choose);"
    "document.getElementById('zoom').addEventListener('input',e=>{W=+e.target.value;choose()});\n"
    "box.addEventListener('mousemove',e=>{const r=box.getBoundingClientRect(),"
    "i=shown[Math.floor((e.clientY-r.top+box.scrollTop)/H)];tip.textContent=i?"
    "data.kind+' '+i.r+'  '+i.t+(i.m?'  lanes '+i.m:'')+'\\n'+i.s.map((s,k)=>s[1]+' '+s[0]+'-'+"
    "(k+1<i.s.length?i.s[k+1][0]:i.e)).join(', '):''});\nchoose();\n";

/* As a string of JSON within a script. */
static void quoted_add(struct text *out, const char *words)
{
    text_add(out, "\"");
    for (; *words; words++) {
        if (*words == '"' || *words == '\\' || *words == '<')
            text_add(out, "\\u%04x", (unsigned)*words);
        else
            text_add_bytes(out, words, 1);
    }
    text_add(out, "\"");
}

static void page_add_traced(const struct trace_source *source, const struct traced *traced,
                            struct text *out)
{
    char words[160], stage[64];
    source->words(source->context, traced, words, sizeof words);
    text_add(out, "{\"r\":%u,\"t\":", traced->row);
    quoted_add(out, words);
    if (source->warps)
        text_add(out, ",\"m\":\"%llx\"", (unsigned long long)traced->lanes);
    text_add(out, ",\"e\":%llu,\"s\":[", (unsigned long long)traced_end(source, traced));
    for (u32 i = 0; i < traced->stage_count; i++) {
        stage_name(&traced->stages[i], stage, sizeof stage);
        text_add(out, "%s[%llu,\"%s\"]", i ? "," : "", (unsigned long long)traced->stages[i].from,
                 stage);
    }
    text_add(out, "]}");
}

void pipeline_page(const struct trace_source *source, struct text *out)
{
    text_add(out, "%s<h1>%s, cycles %llu to %llu</h1>\n", head, source->unit,
             (unsigned long long)source->from, (unsigned long long)source->to);
    text_add(out,
             "<p>%u instructions. A line is an instruction, from when it was next in its "
             "%s: what it waited for, and how long it executed.</p>\n",
             source->list->count, source->warps ? "warp" : "thread");
    text_add(out,
             "<table id=\"causes\"><tr><th>cause</th><th>cycles</th></tr></table>\n"
             "<p><label>show <select id=\"row\"><option value=\"\">all</option></select>"
             "</label><label>cycle width <input id=\"zoom\" type=\"range\" min=\"1\" "
             "max=\"30\" value=\"6\"></label></p>\n<div id=\"tip\"></div>\n"
             "<div id=\"box\"><canvas></canvas><div></div></div>\n<script>\n"
             "const data={\"kind\":\"%s\",\"from\":%llu,\"to\":%llu,\"insns\":[\n",
             source->warps ? "warp" : "thread", (unsigned long long)source->from,
             (unsigned long long)source->to);
    for (u32 i = 0; i < source->list->count; i++) {
        text_add(out, "%s", i ? ",\n" : "");
        page_add_traced(source, &source->list->items[i], out);
    }
    text_add(out, "]};\n%s</script></body></html>\n", script);
}
