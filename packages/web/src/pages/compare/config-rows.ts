/** Dotted path → value in written form; lists are not split. */
export function flatten(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Map([[path, typeof value === 'string' ? value : JSON.stringify(value)]])
  return new Map(
    Object.entries(value).flatMap(([key, inside]) => [
      ...flatten(inside, path === '' ? key : `${path}.${key}`),
    ]),
  )
}

/** A configuration key with its value in each training; undefined if the key is absent. */
export interface ConfigRow {
  readonly key: string
  readonly values: readonly (string | undefined)[]
  readonly differs: boolean
}

export function configRows(configs: readonly unknown[]): ConfigRow[] {
  const flat = configs.map((config) => flatten(config))
  const keys = new Set(flat.flatMap((one) => [...one.keys()]))
  return [...keys].map((key) => {
    const values = flat.map((one) => one.get(key))
    return { key, values, differs: new Set(values).size > 1 }
  })
}
