"""The companion process of a trainer, one step at a time: for each line of its input it sends the content of
its run directory, receives requests, and confirms that with a line. A line may name a thread, which then dies
at its first request.
"""

import sys
import threading
from pathlib import Path

from medloom_trainer.remote.client import Client
from medloom_trainer.remote.mirror import Mirror
from medloom_trainer.remote.order import Order

killed = ""


class MortalClient(Client):
    def _request(self, *arguments, **options):
        if threading.current_thread().name == killed:
            raise SystemExit
        return super()._request(*arguments, **options)


class MirrorOfMortals(Mirror):
    def _client(self):
        return MortalClient(self._order, self._check)


order, run_dir = Order.of_environment(), Path(sys.argv[1])
log_start = Client(order).get_json("")["streams"]["log"]
print("ready", flush=True)
for line in sys.stdin:
    killed = line.strip()
    mirror = MirrorOfMortals(order, run_dir, log_start)
    if killed != "beat":
        mirror.beat()
    mirror.start()
    if killed == "beat":
        mirror.failure.wait()
    mirror.finish()
    print("ended" if mirror.failed else "sent", flush=True)
