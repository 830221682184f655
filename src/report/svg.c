/* svg.c - see svg.h. */
#include "report/svg.h"

#include <math.h>

#define TICKS 5

const char *const svg_colours[SVG_COLOURS] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
    "#000000", "#004c76", "#8e3f00", "#00694d", "#884f6f", "#997000",
};

void svg_begin(struct text *svg, u32 width, double height)
{
    text_add(svg,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%.0f\" "
             "viewBox=\"0 0 %u %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
             "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
             width, height, width, height);
}

void svg_text(struct text *svg, const char *words)
{
    for (; *words; words++) {
        if (*words == '<')
            text_add(svg, "&lt;");
        else if (*words == '&')
            text_add(svg, "&amp;");
        else if ((unsigned char)*words >= ' ')
            text_add_bytes(svg, words, 1);
    }
}

double svg_step(double largest)
{
    double raw = largest / TICKS, power = pow(10, floor(log10(raw)));
    double digit = raw / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

void svg_number(struct text *svg, double value)
{
    static const struct {
        double from;
        const char *letter;
    } large[] = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } };
    for (u32 i = 0; i < 4; i++) {
        if (value >= large[i].from) {
            text_add(svg, "%.4g%s", value / large[i].from, large[i].letter);
            return;
        }
    }
    text_add(svg, "%.4g", value);
}
