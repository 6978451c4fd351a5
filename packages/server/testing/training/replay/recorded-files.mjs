// The files of a recorded run, with the folders of the recording replaced by those of this run.
import { dirname } from 'node:path'

export class RecordedFiles {
  #files
  #place

  constructor({ files }, { config, run_dir }) {
    this.#files = files
    const dataset = JSON.stringify(dirname(config.data.train_csv)).slice(1, -1)
    this.#place = (text) => text.replaceAll('{dataset}', dataset).replaceAll('{run}', run_dir)
  }

  /** Files below a folder, or one file: [path, content]. */
  below(prefix) {
    return Object.keys(this.#files)
      .filter((path) => path.startsWith(prefix))
      .map((path) => [path, this.#content(path)])
  }

  /** The parts of a checkpoint. */
  parts(name) {
    const manifest = JSON.parse(this.#content(`checkpoints/${name}/checkpoint.json`))
    return Object.entries(manifest.files).map(([part, { file }]) => ({
      part,
      extension: file.split('.').at(-1),
      content: this.#content(`checkpoints/${name}/${file}`),
    }))
  }

  has(name) {
    return `checkpoints/${name}/checkpoint.json` in this.#files
  }

  #content(path) {
    const { text, base64, same } = this.#files[path]
    if (same !== undefined) return this.#content(same)
    return base64 === undefined ? Buffer.from(this.#place(text)) : Buffer.from(base64, 'base64')
  }
}
