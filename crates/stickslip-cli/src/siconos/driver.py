"""Runs Siconos solvers on contact problems u = W r + q for `stickslip bench`.

One JSON object a line, on standard input

    {"load": {"folder": F, "dimension": d, "contacts": n, "entries": k}}
    {"solve": {"solver": S, "tolerance": t, "limit": s, "enough": s, "repetitions": k}}

and on standard output {"event": E, ...}, E being ready, missing, loaded, start (a driver call begins), solved or
error. F holds W by compressed rows (row_start.i64, column.i64, value.f64), q.f64 and mu.f64, little-endian without a
header; the impulses found are left there in r.f64.

The time is the wall time of the driver call alone, the best of its repetitions if it is short. Nothing is judged
here: the caller computes the residual from the impulses.
"""

import json
import os
import resource
import signal
import sys
import time
import warnings

# Siconos prints where it likes: the answers keep the pipe for themselves
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
# Ctrl-C is the caller's affair, which ends this process when it wants to
signal.signal(signal.SIGINT, signal.SIG_IGN)


def say(event, **what):
    ANSWERS.write(json.dumps(dict(event=event, **what)) + "\n")
    ANSWERS.flush()


try:
    import numpy as np
    import scipy.sparse
    import siconos
    import siconos.numerics as sn
except ImportError as error:
    say("missing", what=str(error))
    sys.exit()

# SBM_from_csparse allocates a square of contacts: beyond this many they go through a text file
MOST_CONTACTS_IN_MEMORY = 15000

# solver of Siconos, its one-contact solver if not the default one, its largest number of iterations
SOLVERS = {
    "NSGS": ("FRICTION_3D_NSGS", None, 10**7),
    "NSGS-NSN": ("FRICTION_3D_NSGS", "FRICTION_3D_ONECONTACT_NSN", 10**7),
    "NSGS-FULL": ("FRICTION_3D_NSGS", "FRICTION_3D_ONECONTACT_NSN", 10**7),
    "NSGS-PLI": ("FRICTION_3D_NSGS", "FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration", 10**7),
    "NSGSV": ("FRICTION_3D_NSGSV", None, 10**7),
    "ADMM": ("FRICTION_3D_ADMM", None, 10**7),
    "NSN_AC": ("FRICTION_3D_NSN_AC", None, 2000),
    "NSN_FB": ("FRICTION_3D_NSN_FB", None, 2000),
    "NSN_NM": ("FRICTION_3D_NSN_NM", None, 2000),
    "PROX": ("FRICTION_3D_PROX", None, 5000),
    "DSFP": ("FRICTION_3D_DSFP", None, 10**7),
    "VI_EG": ("FRICTION_3D_VI_EG", None, 10**7),
    "VI_FPP": ("FRICTION_3D_VI_FPP", None, 10**7),
    "NSGS2": ("FRICTION_2D_NSGS", None, 10**7),
    "CPG2": ("FRICTION_2D_CPG", None, 10**7),
    "LEMKE2": ("FRICTION_2D_LEMKE", None, 10**7),
}


def options(name, tolerance):
    solver, one_contact, iterations = SOLVERS[name]
    options = sn.SolverOptions(getattr(sn, "SICONOS_" + solver))
    if one_contact:
        sn.solver_options_update_internal(options, 0, getattr(sn, "SICONOS_" + one_contact))
    if name == "NSGS-FULL":
        # stops on the true residual, looked at every fifth sweep, instead of the increment
        options.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = (
            sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL
        )
        options.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = 5
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = iterations
    options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    return options


class Problem:
    def __init__(self, folder, dimension, contacts, entries):
        def array(name, kind, length):
            values = np.fromfile(os.path.join(folder, name), dtype=kind)
            if values.size != length:
                raise ValueError("%s has %d entries instead of %d" % (name, values.size, length))
            return values

        size = dimension * contacts
        self.folder, self.dimension, self.contacts = folder, dimension, contacts
        self.q, self.mu = array("q.f64", "<f8", size), array("mu.f64", "<f8", contacts)
        rows = array("row_start.i64", "<i8", size + 1)
        columns, values = array("column.i64", "<i8", entries), array("value.f64", "<f8", entries)
        self.W = scipy.sparse.csr_matrix((values, columns.astype(np.int32), rows.astype(np.int32)), (size, size))
        self.large = self.through_a_file() if contacts > MOST_CONTACTS_IN_MEMORY else None

    def posed(self):
        """The problem in block storage, afresh each time, as solvers may leave their conversions in it."""
        if self.large:
            return self.large
        posed = sn.FrictionContactProblem()
        posed.dimension, posed.numberOfContacts = self.dimension, self.contacts
        _, blocks = sn.SBM_from_csparse(self.dimension, scipy.sparse.csc_matrix(self.W))
        posed.M, posed.q, posed.mu = blocks, self.q, self.mu
        posed.keep = blocks  # Siconos only points to them
        return posed

    def through_a_file(self):
        path = os.path.join(self.folder, "problem.dat")
        with open(path, "w") as file:
            self.write_blocks(file)
        posed = sn.frictionContact_new_from_filename(path)
        os.remove(path)
        return posed

    def write_blocks(self, file):
        """The text format of Siconos: sizes, ends of block rows and columns, block pattern, blocks, q, mu."""
        d, n = self.dimension, self.contacts
        blocks = scipy.sparse.bsr_matrix(self.W, blocksize=(d, d))
        blocks.sort_indices()
        count = blocks.indices.size
        ends = range(d, d * n + 1, d)
        for line in ([d], [n], [1], [d * n], [d * n], [count], [n], [n], ends, ends, [n + 1], [count],
                     blocks.indptr, blocks.indices):
            file.write(" ".join(map(str, line)) + "\n")
        columns_first = blocks.data.transpose(0, 2, 1).reshape(count, -1)
        for k, block in enumerate(columns_first):
            file.write("%d\n" % k + "".join("%.17g\n" % x for x in block))
        for vector in (self.q, self.mu):
            file.write("".join("%.17g\n" % x for x in vector))

    def solve_once(self, name, tolerance):
        posed, settings = self.posed(), options(name, tolerance)
        r, u = np.zeros(self.q.size), np.zeros(self.q.size)
        driver = sn.fc2d_driver if self.dimension == 2 else sn.fc3d_driver
        say("start")
        start = time.perf_counter()
        driver(posed, r, u, settings)
        return time.perf_counter() - start, r, int(settings.iparam[sn.SICONOS_IPARAM_ITER_DONE])


def limit_processor(seconds):
    """Ends this process by itself should the caller be gone."""
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = int(used + seconds) + 60
    resource.setrlimit(resource.RLIMIT_CPU, (wanted if hard < 0 else min(wanted, hard), hard))


def solve(problem, solver, tolerance, limit, enough, repetitions):
    best, spent = None, 0.0
    for _ in range(repetitions):
        limit_processor(limit)
        seconds, r, iterations = problem.solve_once(solver, tolerance)
        best = seconds if best is None else min(best, seconds)
        spent += seconds
        if spent >= enough:
            break
    r.astype("<f8").tofile(os.path.join(problem.folder, "r.f64"))
    say("solved", seconds=best, iterations=iterations)


def main():
    sn.numerics_set_verbose(0)
    warnings.simplefilter("ignore")  # advice on the width of indices
    say("ready", version=str(getattr(siconos, "version", "unknown")))
    problem = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "load" in request:
                problem = None  # two large ones need not fit
                problem = Problem(**request["load"])
                say("loaded")
            else:
                solve(problem, **request["solve"])
        except Exception as error:
            say("error", what="%s: %s" % (type(error).__name__, error))


main()
