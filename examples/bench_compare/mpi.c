/* How long an operation of MPI takes: mpi OPERATION BYTES SECONDS
 *
 * BYTES is one rank's input of floats. Rank 0 prints what an operation took, in seconds, in each of several batches that take about SECONDS
 * together. Operations go one after the other without pause, as launches do. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 10, LEAST = 3 };

static int rank, ranks, count;
static int *counts;
static float *input, *output;

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void reduce_scatter(void) { MPI_Reduce_scatter(input, output, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }
static void reduce_scatter_block(void) {
    MPI_Reduce_scatter_block(input, output, count / ranks, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static void allgather(void) { MPI_Allgather(input, count, MPI_FLOAT, output, count, MPI_FLOAT, MPI_COMM_WORLD); }
static void allreduce(void) { MPI_Allreduce(input, output, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }

/* An operation, how many floats a rank ends with, and whether they are sums. */
struct operation {
    const char *name;
    void (*run)(void);
    enum { NOTHING, PART, ALL, OF_EACH } result;
};

static const struct operation OPERATIONS[] = {
    {"barrier", barrier, NOTHING},
    {"reduce_scatter", reduce_scatter, PART},
    {"reduce_scatter_block", reduce_scatter_block, PART},
    {"allgather", allgather, OF_EACH},
    {"allreduce", allreduce, ALL},
};

static void fail(const char *what) {
    fprintf(stderr, "error: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static float *floats(size_t n) {
    float *memory = malloc(n * sizeof(float));
    if (memory == NULL && n > 0) fail("not enough memory");
    for (size_t i = 0; i < n; i++) memory[i] = (float)(rank + 1);
    return memory;
}

/* Rank r brings r + 1 in all places. */
static void check(const struct operation *operation, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float sum = (float)(ranks * (ranks + 1) / 2);
        float expected = operation->result == OF_EACH ? (float)(i / (size_t)count + 1) : sum;
        if (output[i] != expected) fail("a wrong result");
    }
}

static double batch(void (*run)(void), long times) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long i = 0; i < times; i++) run();
    return (MPI_Wtime() - start) / (double)times;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4) fail("usage: mpi OPERATION BYTES SECONDS");
    const struct operation *operation = NULL;
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; i++)
        if (strcmp(argv[1], OPERATIONS[i].name) == 0) operation = &OPERATIONS[i];
    if (operation == NULL) fail("no such operation");

    count = (int)(atol(argv[2]) / (long)sizeof(float));
    counts = malloc((size_t)ranks * sizeof *counts);
    for (int i = 0; i < ranks; i++) counts[i] = count / ranks;
    size_t results[] = {0, (size_t)(count / ranks), (size_t)count, (size_t)count * (size_t)ranks};
    size_t n = results[operation->result];
    input = floats((size_t)count);
    output = floats(n);

    double once = 0;
    for (int i = 0; i < LEAST; i++) once = batch(operation->run, 1);
    check(operation, n);
    long times = (long)(atof(argv[3]) / BATCHES / once);
    if (times < 1) times = 1;
    MPI_Bcast(&times, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    /* What took longer than its share runs less often. */
    long batches = times > 1 ? BATCHES : (long)(atof(argv[3]) / once) + LEAST;
    if (batches > BATCHES) batches = BATCHES;
    MPI_Bcast(&batches, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    for (long i = 0; i < batches; i++) {
        double took = batch(operation->run, times);
        if (rank == 0) printf("%.9g\n", took);
    }
    MPI_Finalize();
    return 0;
}
