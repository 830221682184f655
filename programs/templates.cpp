/* templates.cpp - C++ on the chip: templates, constructors, virtual functions, new, and picolibc's
 * libc and libm. There is no C++ standard library; the headers of C are all here.
 *
 * Integrates three functions with two rules, shared out over the harts, and sorts the results.
 * Argument: intervals per integral (256). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ogive/device.h>

namespace
{

template <typename T, unsigned Capacity> class Row
{
  public:
    void add(const T &value)
    {
        if (length < Capacity)
            values[length++] = value;
    }
    unsigned size() const
    {
        return length;
    }
    T &operator[](unsigned i)
    {
        return values[i];
    }

  private:
    T values[Capacity] = {};
    unsigned length = 0;
};

struct Function {
    virtual double at(double x) const = 0;
    virtual const char *name() const = 0;
    double from = 0, to = 1, integral = 0;
    Function(double low, double high, double exact) : from(low), to(high), integral(exact)
    {
    }
};

struct Sine : Function {
    Sine() : Function(0, M_PI, 2)
    {
    }
    double at(double x) const override
    {
        return sin(x);
    }
    const char *name() const override
    {
        return "sin";
    }
};

struct Bell : Function {
    Bell() : Function(-6, 6, 1.7724538509055159)
    {
    }
    double at(double x) const override
    {
        return exp(-x * x);
    }
    const char *name() const override
    {
        return "exp(-x^2)";
    }
};

struct Arc : Function {
    Arc() : Function(-1, 1, M_PI / 2)
    {
    }
    double at(double x) const override
    {
        return sqrt(fmax(0, 1 - x * x));
    }
    const char *name() const override
    {
        return "sqrt(1-x^2)";
    }
};

struct Midpoint {
    static double of(const Function &f, double x, double width)
    {
        return f.at(x + width / 2) * width;
    }
};

struct Simpson {
    static double of(const Function &f, double x, double width)
    {
        return (f.at(x) + 4 * f.at(x + width / 2) + f.at(x + width)) * width / 6;
    }
};

template <typename Rule> double integrate(const Function &f, unsigned intervals)
{
    double width = (f.to - f.from) / intervals, sum = 0;
    for (unsigned i = 0; i < intervals; i++)
        sum += Rule::of(f, f.from + i * width, width);
    return sum;
}

struct Result {
    const Function *function;
    double error;
};

int compare(const void *a, const void *b)
{
    double x = static_cast<const Result *>(a)->error, y = static_cast<const Result *>(b)->error;
    return (x > y) - (x < y);
}

/* Made by its constructor before any hart enters main. */
struct Table {
    Row<const Function *, 4> functions;
    Table()
    {
        functions.add(new Sine);
        functions.add(new Bell);
        functions.add(new Arc);
    }
} table;

double errors[8]; /* by function, then by rule */
Row<Result, 8> results;
uint32_t finished;

/* Made by the hart that comes first. */
const char *title()
{
    static char *text = strdup("templates");
    return text;
}

/* The k-th piece of work: which function, by which rule. */
double error_of(unsigned k, unsigned intervals)
{
    const Function &f = *table.functions[k / 2];
    double value = k % 2 ? integrate<Simpson>(f, intervals) : integrate<Midpoint>(f, intervals);
    return fabs(value - f.integral);
}

int report()
{
    unsigned count = results.size();
    qsort(&results[0], count, sizeof(Result), compare);
    Result &worst = results[count - 1];
    bool right = worst.error < 0.01 && strcmp(worst.function->name(), "sqrt(1-x^2)") == 0;
    printf("%s: %u integrals, largest error %.4f in %s\n", title(), count, worst.error,
           worst.function->name());
    return !right;
}

} // namespace

int main(int argc, char **argv)
{
    unsigned intervals = static_cast<unsigned>(ogv_argument(argc, argv, 1, 256));
    unsigned work = 2 * table.functions.size();
    if (intervals < 1 || strlen(title()) != 9)
        return 1;
    for (unsigned k = ogv_hart(); k < work; k += ogv_harts())
        errors[k] = error_of(k, intervals);
    ogv_fence();
    if (ogv_atomic_add_u32(&finished, 1) + 1 < ogv_harts())
        return 0;
    ogv_fence();
    for (unsigned k = 0; k < work; k++)
        results.add(Result{ table.functions[k / 2], errors[k] });
    return report();
}
