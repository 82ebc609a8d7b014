@_exported import struct SyncSimulation.SeededGenerator
