/* print.h - a small printf, the same for the chip and for native builds so that both print the same
 * bytes. The file that includes it defines print_char(char). Works digit by digit: no buffer but
 * one for a number. */
#ifndef PROGRAMS_RUNTIME_PRINT_H
#define PROGRAMS_RUNTIME_PRINT_H

#include <stdarg.h>
#include <stdint.h>

static void print_char(char c);

struct print_field {
    unsigned width, precision;
    char fill;
    char left; /* flag: pad on the right */
    char size; /* 0 int, 1 long, 2 long long: the same as long */
};

static void print_fill(const struct print_field *field, unsigned length)
{
    for (; length < field->width; length++)
        print_char(field->fill);
}

/* A number with its sign, in a field; zeros go between the two. */
static void print_number(const struct print_field *field, uint64_t value, unsigned base, char sign)
{
    char digits[20];
    unsigned count = 0;
    do {
        unsigned digit = (unsigned)(value % base);
        digits[count++] = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
        value /= base;
    } while (value);
    unsigned length = count + (sign != 0);
    if (sign && field->fill == '0')
        print_char(sign);
    if (!field->left)
        print_fill(field, length);
    if (sign && field->fill != '0')
        print_char(sign);
    while (count)
        print_char(digits[--count]);
    if (field->left)
        print_fill(field, length);
}

static void print_text(const struct print_field *field, const char *text)
{
    unsigned length = 0;
    while (text[length])
        length++;
    if (!field->left)
        print_fill(field, length);
    while (*text)
        print_char(*text++);
    if (field->left)
        print_fill(field, length);
}

/* Fixed point, up to nine places, numbers below 2^63; the last place rounds half up. */
static void print_double(const struct print_field *field, double value)
{
    char sign = __builtin_signbit(value) ? '-' : 0;
    double size = sign ? -value : value;
    struct print_field part = *field;
    uint64_t scale = 1;
    if (size != size || size >= 9223372036854775808.0) {
        part.fill = ' ';
        print_text(&part, size != size ? "nan" : sign ? "-huge" : "huge");
        return;
    }
    for (unsigned i = 0; i < field->precision; i++)
        scale *= 10;
    uint64_t whole = (uint64_t)size;
    uint64_t fraction = (uint64_t)((size - (double)whole) * (double)scale + 0.5);
    if (fraction >= scale) {
        whole++;
        fraction -= scale;
    }
    unsigned behind = field->precision ? field->precision + 1 : 0;
    part.width = field->width > behind ? field->width - behind : 0;
    part.left = 0;
    print_number(&part, whole, 10, sign);
    if (!behind)
        return;
    print_char('.');
    print_number(&(struct print_field){ .width = field->precision, .fill = '0' }, fraction, 10, 0);
}

/* Reads flags, width, precision and length; returns the conversion's letter. */
static const char *print_read(const char *format, struct print_field *field)
{
    *field = (struct print_field){ .precision = 6, .fill = ' ' };
    for (; *format == '0' || *format == '-'; format++) {
        if (*format == '0')
            field->fill = '0';
        else
            field->left = 1;
    }
    if (field->left)
        field->fill = ' ';
    for (; *format >= '0' && *format <= '9'; format++)
        field->width = field->width * 10 + (unsigned)(*format - '0');
    if (*format == '.') {
        field->precision = 0;
        for (format++; *format >= '0' && *format <= '9'; format++)
            field->precision = field->precision * 10 + (unsigned)(*format - '0');
        if (field->precision > 9)
            field->precision = 9;
    }
    for (; *format == 'l' || *format == 'z'; format++)
        field->size = 1;
    return format;
}

static void print_signed(const struct print_field *field, int64_t value)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    print_number(field, size, 10, value < 0 ? '-' : 0);
}

static void print_format(const char *format, va_list values)
{
    struct print_field field;
    for (; *format; format++) {
        if (*format != '%') {
            print_char(*format);
            continue;
        }
        format = print_read(format + 1, &field);
        switch (*format) {
        case 'd':
        case 'i':
            print_signed(&field, field.size ? va_arg(values, long) : va_arg(values, int));
            break;
        case 'u':
        case 'x':
            print_number(&field,
                         field.size ? va_arg(values, unsigned long) : va_arg(values, unsigned),
                         *format == 'x' ? 16 : 10, 0);
            break;
        case 'p':
            print_char('0');
            print_char('x');
            print_number(&field, (uint64_t)(uintptr_t)va_arg(values, void *), 16, 0);
            break;
        case 'c':
            print_char((char)va_arg(values, int));
            break;
        case 's':
            print_text(&field, va_arg(values, const char *));
            break;
        case 'f':
            print_double(&field, va_arg(values, double));
            break;
        case 0:
            return;
        default:
            print_char(*format);
        }
    }
}

#endif
