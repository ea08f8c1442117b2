"""Writes the fixtures beside this file with NumPy: `python generate.py`."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent


def counting(ranks, size):
    return (100 * np.arange(ranks)[:, None, None] + np.arange(ranks * size)).astype("<f4").reshape(ranks, 1, ranks * size)


x = counting(4, 8)
np.save(HERE / "p4_size8.npy", x)
with open(HERE / "version2.npy", "wb") as file:
    np.lib.format.write_array(file, x, version=(2, 0))
rng = np.random.default_rng(14)
np.save(HERE / "p3_random.npy", rng.standard_normal((3, 1, 3 * 7), dtype=np.float32))
special = counting(2, 4)
special[0, 0, 0] = np.nan
special[1, 0, 1] = np.inf
special[0, 0, 2], special[1, 0, 2] = np.inf, -np.inf
special[0, 0, 5] = -np.inf
np.save(HERE / "p2_nan_inf.npy", special)

np.save(HERE / "f64.npy", x.astype("<f8"))
np.save(HERE / "big_endian.npy", x.astype(">f4"))
np.save(HERE / "fortran.npy", np.asfortranarray(x))
np.save(HERE / "two_axes.npy", x.reshape(4, 32))
np.save(HERE / "does_not_divide.npy", counting(4, 8)[:, :, :30])
np.save(HERE / "two_rows.npy", x.reshape(4, 2, 16))
np.save(HERE / "structured.npy", np.zeros((4, 1, 32), dtype=[("re", "<f4"), ("im", "<f4")]))
(HERE / "truncated.npy").write_bytes((HERE / "p4_size8.npy").read_bytes()[:-128])
(HERE / "not_npy.txt").write_text("x,y\n1,2\n")
