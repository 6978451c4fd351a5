import { PageHead } from '../../components/panel'

export function HomePage() {
  return <PageHead title="Home" />
}
