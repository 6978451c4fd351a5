import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Recipe } from '@medloom/contracts'
import { nullIfUnreadable } from '../storage/null-if-missing.js'

/** Files per pattern that are looked at. */
const MOST_FILES = 10_000

/** Paths and patterns of the tables that a recipe reads from subfolders of its source. */
export function patternsBelow(recipe: Pick<Recipe, 'files'> | null | undefined): string[] {
  const paths = (recipe?.files ?? []).flatMap(({ path }) => (path?.includes('/') ? [path] : []))
  return [...new Set(paths)].sort()
}

/** Files below `folder` that match a path with placeholders such as `{split}/cases.csv`, sorted. */
export async function filesOfPattern(folder: string, pattern: string): Promise<string[]> {
  let found = [folder]
  const segments = pattern.split('/')
  for (const segment of segments) {
    const isNamed = nameMatcher(segment)
    const below = await Promise.all(
      found.map(async (inside) =>
        ((await nullIfUnreadable(readdir(inside))) ?? []).filter(isNamed).map((name) => join(inside, name)),
      ),
    )
    found = below.flat().sort().slice(0, MOST_FILES)
  }
  return found
}

/** A placeholder stands for a text without `/`. */
function nameMatcher(segment: string): (name: string) => boolean {
  const parts = segment.split(/\{[^{}]+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const form = new RegExp(`^${parts.join('.+')}$`)
  return (name) => form.test(name)
}
