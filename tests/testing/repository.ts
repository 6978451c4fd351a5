import { join, resolve } from 'node:path'

export const REPOSITORY = resolve(import.meta.dirname, '../..')
/** Interpreter with the trainer. */
export const PYTHON = process.env.MEDLOOM_PYTHON ?? join(REPOSITORY, '.venv/bin/python')
