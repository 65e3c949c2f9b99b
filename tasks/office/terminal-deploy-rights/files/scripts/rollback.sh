#!/bin/sh
make rollback
