/** Bundles a program and its threads. */
export function bundle(options: {
  /** The folder of the packages. */
  packages: string
  /** The package and the module that is started. */
  main: readonly [name: string, path: string]
  /** Two folders below that of the repository. */
  outdir: string
  /** From src, as tests read them, instead of dist. */
  sources?: boolean
}): Promise<void>
