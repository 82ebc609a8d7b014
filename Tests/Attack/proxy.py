"""A proxy between client and server that cuts, halves, delays, stalls and answers 503, as its weather says."""

import asyncio
import random
import threading

CALM = {"refuse": 0, "error": 0, "cut": 0, "half": 0, "stall": 0, "delay": 0, "late": 0}


class Proxy:
    """Weather: shares of connections (refuse, error) and of pieces (cut, half, stall); delay and late in ms."""

    def __init__(self, target, seed):
        self.target, self.random = target, random.Random(seed)
        self.weather, self.counts = dict(CALM), {"connections": 0, "faults": 0}
        self.writers = set()
        ready = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait()

    def run(self, ready):
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(asyncio.start_server(self.accept, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]
        ready.set()
        self.loop.run_forever()

    def happens(self, name):
        hit = self.random.random() < self.weather[name]
        self.counts["faults"] += hit
        return hit

    async def accept(self, reader, writer):
        self.counts["connections"] += 1
        self.writers.add(writer)
        try:
            if self.happens("refuse"):
                return
            if self.weather["late"]:
                await asyncio.sleep(self.random.random() * self.weather["late"] / 1000)
            if self.happens("error"):
                await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
                writer.write(self.random.choice([
                    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                    b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 5\r\nConnection: close\r\n\r\nnope\n",
                    b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\nConnection: close\r\n\r\n{\"half\":"]))
                await writer.drain()
                return
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
            self.writers.add(back)
            try:
                await asyncio.gather(self.pipe(reader, back, writer, True), self.pipe(there, writer, back))
            finally:
                self.writers.discard(back)
                back.transport.abort()
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self.writers.discard(writer)
            writer.transport.abort()

    async def pipe(self, reader, writer, other, ends=False):
        while True:
            data = await reader.read(65536)
            if not data:
                other.transport.abort()
                writer.transport.abort()
                return
            if self.weather["delay"]:
                await asyncio.sleep(self.random.random() * self.weather["delay"] / 1000)
            if self.happens("stall"):
                await asyncio.sleep(self.random.choice([0.5, 3]))
            if ends and (reader.at_eof() or reader.exception()):
                # Who asked is gone and may have asked again: what is late, also by the weather's delays or because the
                # connection was accepted late, must not come behind it.
                other.transport.abort()
                writer.transport.abort()
                return
            cut = self.happens("cut")
            half = self.happens("half")
            if half:
                data = data[:self.random.randrange(len(data))]
            if not cut:
                writer.write(data)
                await writer.drain()
            if cut or half:
                await asyncio.sleep(0.01)
                writer.transport.abort()
                other.transport.abort()
                return

    def cut_all(self):
        def cut():
            for writer in list(self.writers):
                writer.transport.abort()
        self.loop.call_soon_threadsafe(cut)

    def calm(self):
        self.weather = dict(CALM)

    def storm(self):
        choice = self.random
        self.weather = {
            "refuse": choice.choice([0, 0, 0.2, 1]), "error": choice.choice([0, 0.1, 0.4]),
            "cut": choice.choice([0, 0.01, 0.05]), "half": choice.choice([0, 0.01, 0.05]),
            "stall": choice.choice([0, 0, 0.03]), "delay": choice.choice([0, 5, 60]),
            "late": choice.choice([0, 30, 300])}

    def stop(self):
        self.cut_all()
        self.loop.call_soon_threadsafe(self.server.close)
        self.loop.call_soon_threadsafe(lambda: self.loop.call_later(0.2, self.loop.stop))
        self.thread.join(5)
