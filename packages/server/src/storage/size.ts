const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** Bytes as text with a unit, in powers of 1024 like nvidia-smi and df -h: "15.9 GB". */
export function formatSize(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}`
}
