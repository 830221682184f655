/* guest.c - a program for tests/isa/compiled: what a compiler makes of loops, recursion,
 * structures, 64-bit division, float and double arithmetic, conversions and atomics. Needs no
 * library; prints one line of hexadecimal per computation. */
typedef unsigned long u64;

static long call(long number, long a, long b, long c)
{
    register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

static void print(u64 value)
{
    char line[17];
    for (int i = 15; i >= 0; i--, value >>= 4)
        line[i] = "0123456789abcdef"[value & 15];
    line[16] = '\n';
    call(64, 1, (long)line, 17);
}

static u64 bits_of(double value)
{
    union {
        double value;
        u64 bits;
    } both = { value };
    return both.bits;
}

/* ---- Integers ---- */

static unsigned sieve(void)
{
    static unsigned char composite[20000];
    unsigned count = 0;
    for (unsigned i = 2; i < sizeof composite; i++) {
        if (composite[i])
            continue;
        count++;
        for (unsigned j = i * 2; j < sizeof composite; j += i)
            composite[j] = 1;
    }
    return count;
}

static u64 ackermann(u64 m, u64 n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static u64 hash(u64 rounds)
{
    u64 state = 88172645463325252u, sum = 0;
    for (u64 i = 1; i <= rounds; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum +=
            (u64)((long)state / (long)(i * 7919)) + (u64)((int)state % (int)i) + (u64)(short)state;
        sum ^= (u64)(((unsigned __int128)state * sum) >> 64);
    }
    return sum;
}

static u64 counter;

static u64 atomics(void)
{
    for (u64 i = 0; i < 100; i++) {
        __atomic_fetch_add(&counter, i, __ATOMIC_SEQ_CST);
        __atomic_fetch_xor(&counter, i << 7, __ATOMIC_RELAXED);
        u64 expected = counter;
        __atomic_compare_exchange_n(&counter, &expected, expected * 3, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
    }
    return counter;
}

/* ---- Floating point ---- */

static double square_root(double value)
{
    double root;
    __asm__("fsqrt.d %0, %1" : "=f"(root) : "f"(value));
    return root;
}

static unsigned mandelbrot(void)
{
    unsigned sum = 0;
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 60; x++) {
            float cx = (float)x / 30 - 1.5f, cy = (float)y / 20 - 1, zx = 0, zy = 0;
            int steps = 0;
            for (; steps < 50 && zx * zx + zy * zy < 4; steps++) {
                float next = zx * zx - zy * zy + cx;
                zy = 2 * zx * zy + cy;
                zx = next;
            }
            sum = sum * 31 + (unsigned)steps;
        }
    return sum;
}

struct body {
    double position[3], velocity[3], mass;
};

static double orbits(void)
{
    static struct body bodies[3] = { { { 0, 0, 0 }, { 0, 0, 0 }, 39.5 },
                                     { { 4.8, -1.2, -0.1 }, { 0.6, 2.8, 0 }, 0.04 },
                                     { { 8.3, 4.1, -0.4 }, { -1, 1.8, 0 }, 0.01 } };
    for (int step = 0; step < 500; step++) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double d[3], square = 0.0001;
                for (int k = 0; k < 3; k++) {
                    d[k] = bodies[j].position[k] - bodies[i].position[k];
                    square += d[k] * d[k];
                }
                double pull = bodies[j].mass / (square * square_root(square));
                for (int k = 0; k < 3; k++)
                    bodies[i].velocity[k] += d[k] * pull * 0.001;
            }
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                bodies[i].position[k] += bodies[i].velocity[k] * 0.001;
    }
    return bodies[1].position[0] + bodies[2].position[1];
}

static u64 conversions(void)
{
    u64 sum = 0;
    for (int i = -2000; i < 2000; i++) {
        double wide = i * 1234567.891;
        float narrow = (float)wide;
        sum = sum * 17 + (u64)(long)wide + (u64)(int)narrow + (unsigned)(i + 2000);
        sum += bits_of((double)sum) ^ bits_of((double)(float)(long)sum);
    }
    return sum;
}

void _start(void);

void _start(void)
{
    print(sieve());
    print(ackermann(2, 60));
    print(hash(5000));
    print(atomics());
    print(mandelbrot());
    print(bits_of(orbits()));
    print(conversions());
    call(93, 0, 0, 0);
}
