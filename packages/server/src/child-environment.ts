import { MEDLOOM_VERSION } from './version.js'

/**
 * Variables that a Python process may see: those that it needs to find its libraries and devices. Secrets of the service are not passed on.
 */
const NAMES = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONDONTWRITEBYTECODE',
  'VIRTUAL_ENV',
  'KMP_DUPLICATE_LIB_OK',
  'MEDLOOM_NODE_CACHE',
]
const PREFIXES = [
  'LC_',
  'CUDA_',
  'NVIDIA_',
  'NCCL_',
  'GLOO_',
  'OMP_',
  'MKL_',
  'OPENBLAS_',
  'TORCH',
  'PYTORCH_',
  'HF_',
  'XDG_',
]

export function childEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && (NAMES.includes(name) || PREFIXES.some((prefix) => name.startsWith(prefix)))
      ? [[name, value] as const]
      : [],
  )
  return {
    ...Object.fromEntries(entries),
    PYTHONUNBUFFERED: '1',
    PYTHONUTF8: '1',
    // A trainer of another version refuses to start, because the interface of both changes with the version.
    MEDLOOM_VERSION,
  }
}
