import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Files that recipes read as tables and lists. */
export const READABLE_TABLE = /^[^.].*\.(csv|tsv|txt|gz|xlsx|xlsm|json|parquet|z?sav|dta|sas7bdat|xpt|npz)$/i

/** The tables of a folder that a recipe may read, by name; without those of its subfolders. */
export async function readableTables(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  return names
    .filter((name) => READABLE_TABLE.test(name))
    .sort()
    .map((name) => join(folder, name))
}
