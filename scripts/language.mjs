#!/usr/bin/env node
// npm run check:language: finds words that the project does not use, such as British spellings, with their replacement.
import { resolve } from 'node:path'
import { checkLanguage } from './language/find.mjs'

const { found, unused } = checkLanguage(resolve(import.meta.dirname, '..'))
for (const { path, line, word, text, remedy } of found)
  console.error(`${path}:${line}  "${word}" → ${remedy}\n    ${text.slice(0, 160)}`)
for (const { path, text } of unused)
  console.error(
    `scripts/language/allowed.mjs: remove the entry for "${text}" in ${path}, which nothing needs`,
  )
if (found.length + unused.length > 0) process.exitCode = 1
