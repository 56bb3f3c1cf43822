/* The limit for one sensing sweep on one core: what a careful person writes in plain C for the machine at hand.
 *
 *     cc -O3 -march=native limit.c -o limit -lm
 *     ./limit WORLD ANSWERS REPEATS
 *
 * A cell list with cells as wide as the sight: units are counted into cells, laid out cell by cell, and each unit then
 * meets all units of the three columns of cells round it, each a contiguous run. For every unit it finds
 *
 *   - the nearest foe in sight,
 *   - a random foe within its own reach (the one with the largest hash of both),
 *   - whether a foe in sight could strike it after three steps,
 *   - the sum of the pushes of all units less than a metre away.
 *
 * WORLD holds, in the machine's own order of bytes: int32 count; float32 side, sight; then for each unit float32 x, y,
 * reach and threat (what its reach and three steps add up to), and int32 team. ANSWERS receives int32 nearest, random
 * (-1: nobody) and threatened, and float32 push x and y, each an array over the units in their given order. Sorting is
 * part of what is timed, in every repeat. Prints the median and the least milliseconds on the clock, the mean of the
 * processor's own time, which others on the machine disturb less, and the number of pairs met.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NOBODY = -1 };

/* What is known of the units, an array a field: in the given order, or sorted by cell. */
typedef struct {
    float *x, *y, *reach, *threat;
    int32_t *team, *id;
} Units;

typedef struct {
    int32_t *nearest, *random, *threatened;
    float *push_x, *push_y;
} Answers;

static void *room(size_t count, size_t size) {
    void *space = calloc(count ? count : 1, size);
    if (!space) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return space;
}

static Units make_units(int count) {
    Units units = {room(count, 4), room(count, 4), room(count, 4), room(count, 4), room(count, 4), room(count, 4)};
    return units;
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static int cell_of(float x, float y, float width, int columns) {
    int column = (int)(x / width), row = (int)(y / width);
    if (column >= columns) column = columns - 1;
    if (row >= columns) row = columns - 1;
    return column * columns + row;
}

/* Lay the units out cell by cell; `begin[c]` becomes the first of cell c, and `begin[c + 1]` its end. */
static void sort(const Units *from, Units *to, int count, float width, int columns, int *begin) {
    int cells = columns * columns;
    memset(begin, 0, sizeof(int) * (cells + 2));
    for (int i = 0; i < count; i++) begin[cell_of(from->x[i], from->y[i], width, columns) + 2]++;
    for (int c = 0; c < cells; c++) begin[c + 2] += begin[c + 1];
    for (int i = 0; i < count; i++) {
        /* One place ahead, so that filling the cells leaves their beginnings behind. */
        int at = begin[cell_of(from->x[i], from->y[i], width, columns) + 1]++;
        to->x[at] = from->x[i];
        to->y[at] = from->y[i];
        to->reach[at] = from->reach[i];
        to->threat[at] = from->threat[i];
        to->team[at] = from->team[i];
        to->id[at] = i;
    }
}

static void answer(const Units *units, int i, int column, int row, int columns, const int *begin, float sight,
                   Answers *answers, int64_t *pairs) {
    const float x = units->x[i], y = units->y[i], reach = units->reach[i] * units->reach[i], far = sight * sight;
    const int team = units->team[i];
    const uint32_t own = (uint32_t)units->id[i];
    float best = INFINITY, push_x = 0, push_y = 0;
    int nearest = NOBODY, random = NOBODY, threatened = 0;
    uint32_t highest = 0;
    const int south = row > 0 ? row - 1 : 0, north = row + 1 < columns ? row + 1 : columns - 1;
    for (int near = column > 0 ? column - 1 : 0; near <= column + 1 && near < columns; near++) {
        const int from = begin[near * columns + south], upto = begin[near * columns + north + 1];
        *pairs += upto - from;
        for (int j = from; j < upto; j++) {
            const float east = x - units->x[j], up = y - units->y[j], apart = east * east + up * up;
            if (apart > far || j == i) continue;
            if (units->team[j] != team) {
                if (apart < best) {
                    best = apart;
                    nearest = units->id[j];
                }
                if (apart <= reach) {
                    const uint32_t hash = ((uint32_t)units->id[j] * 2654435761u) ^ own;
                    if (hash >= highest) { /* no two ids have the same hash */
                        highest = hash;
                        random = units->id[j];
                    }
                }
                threatened |= apart <= units->threat[j] * units->threat[j];
            }
            if (apart < 1.0f) {
                const float weight = 1.0f / sqrtf(apart + 1e-6f) - 1.0f;
                push_x += weight * east;
                push_y += weight * up;
            }
        }
    }
    answers->nearest[own] = nearest;
    answers->random[own] = random;
    answers->threatened[own] = threatened;
    answers->push_x[own] = push_x;
    answers->push_y[own] = push_y;
}

static int by_size(const void *a, const void *b) {
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static int take(void *into, size_t count, FILE *file) { return fread(into, 4, count, file) == count; }

int main(int words, char **word) {
    const int repeats = words == 4 ? atoi(word[3]) : 0;
    if (repeats < 1) {
        fputs("usage: limit WORLD ANSWERS REPEATS\n", stderr);
        return 2;
    }
    FILE *file = fopen(word[1], "rb");
    int32_t count = 0;
    float side = 0, sight = 0;
    if (!file || !take(&count, 1, file) || !take(&side, 1, file) || !take(&sight, 1, file) || count < 0) {
        fputs("cannot read the world\n", stderr);
        return 2;
    }
    Units given = make_units(count), sorted = make_units(count);
    if (!take(given.x, count, file) || !take(given.y, count, file) || !take(given.reach, count, file) ||
        !take(given.threat, count, file) || !take(given.team, count, file)) {
        fputs("the world is cut off\n", stderr);
        return 2;
    }
    fclose(file);

    const int columns = side > sight ? (int)ceilf(side / sight) : 1;
    int *begin = room(columns * columns + 2, sizeof(int));
    Answers answers = {room(count, 4), room(count, 4), room(count, 4), room(count, 4), room(count, 4)};
    double *took = room(repeats, sizeof(double));
    double spent = 0;
    int64_t pairs = 0;
    for (int repeat = 0; repeat <= repeats; repeat++) { /* the first warms up */
        const double began = now(CLOCK_MONOTONIC), had = now(CLOCK_PROCESS_CPUTIME_ID);
        pairs = 0;
        sort(&given, &sorted, count, sight, columns, begin);
        for (int column = 0; column < columns; column++)
            for (int row = 0; row < columns; row++)
                for (int i = begin[column * columns + row]; i < begin[column * columns + row + 1]; i++)
                    answer(&sorted, i, column, row, columns, begin, sight, &answers, &pairs);
        if (repeat) {
            took[repeat - 1] = now(CLOCK_MONOTONIC) - began;
            spent += now(CLOCK_PROCESS_CPUTIME_ID) - had;
        }
    }
    qsort(took, repeats, sizeof(double), by_size);

    file = fopen(word[2], "wb");
    if (!file || fwrite(answers.nearest, 4, count, file) != (size_t)count ||
        fwrite(answers.random, 4, count, file) != (size_t)count ||
        fwrite(answers.threatened, 4, count, file) != (size_t)count ||
        fwrite(answers.push_x, 4, count, file) != (size_t)count ||
        fwrite(answers.push_y, 4, count, file) != (size_t)count || fclose(file)) {
        fputs("cannot write the answers\n", stderr);
        return 2;
    }
    printf("%.6f %.6f %.6f %lld\n", took[repeats / 2] * 1e3, took[0] * 1e3, spent / repeats * 1e3, (long long)pairs);
    return 0;
}
