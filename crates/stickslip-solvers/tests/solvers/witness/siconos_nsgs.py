"""Solve local FCLIB problems in space with the NSGS solver of Siconos.

    siconos_nsgs.py TOLERANCE FILE...

Prints one line a file: the impulses, in full precision, or the word "failed".
"""
import sys

import h5py
import numpy as np
import scipy.sparse as sp
import siconos.numerics as sn

sn.numerics_set_verbose(0)
tolerance = float(sys.argv[1])
for name in sys.argv[2:]:
    with h5py.File(name, "r") as file:
        problem = file["fclib_local"]
        q, mu = problem["vectors/q"][()], problem["vectors/mu"][()]
        W = problem["W"]
        assert W["nz"][0] == -2, "compressed rows expected"
        W = sp.csc_matrix(sp.csr_matrix((W["x"][()], W["i"][()], W["p"][()]), shape=(q.size, q.size)))
    contacts = sn.FrictionContactProblem()
    contacts.dimension, contacts.numberOfContacts = 3, mu.size
    _, blocks = sn.SBM_from_csparse(3, W)
    contacts.M, contacts.q, contacts.mu = blocks, q, mu
    options = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSGS)
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 5000
    options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    r, u = np.zeros(q.size), np.zeros(q.size)
    sn.fc3d_driver(contacts, r, u, options)
    print(" ".join(map(repr, r.tolist())) if np.isfinite(r).all() else "failed", flush=True)
