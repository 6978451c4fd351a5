import { type DragEvent, useRef } from 'react'
import { Button } from '../../components/button'
import { useText } from '../../text/use-text'
import { workflows as text } from '../../text/workflows'

/** Imports a saved workflow from this computer. */
export function ImportButton({ onFile }: { readonly onFile: (file: File) => void }) {
  const t = useText(text)
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button icon="upload" onPress={() => input.current?.click()}>
        {t('import')}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) onFile(file)
          target.value = ''
        }}
      />
    </>
  )
}

/** Imports a workflow by drag and drop. */
export function useDrop(onFile: (file: File) => void) {
  return {
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault()
    },
    onDrop: (event: DragEvent) => {
      const [file] = event.dataTransfer.files
      if (!file) return
      event.preventDefault()
      onFile(file)
    },
  }
}
